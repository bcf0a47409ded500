/* What wasi-libc's header leaves out and posix.c has. */
#include_next <unistd.h>
#ifndef WASMBOX_UNISTD_H
#define WASMBOX_UNISTD_H
#include <sys/types.h>

int dup(int fd);
int dup2(int from, int to);
int dup3(int from, int to, int flags);
int pipe(int ends[2]);
int pipe2(int ends[2], int flags);
int chown(const char *path, uid_t uid, gid_t gid);
int lchown(const char *path, uid_t uid, gid_t gid);
int fchown(int fd, uid_t uid, gid_t gid);
int fchownat(int fd, const char *path, uid_t uid, gid_t gid, int flags);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
pid_t getppid(void);
int gethostname(char *name, size_t length);
void sync(void);

#endif
