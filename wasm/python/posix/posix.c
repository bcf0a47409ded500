/* The part of POSIX that wasi-libc leaves out and this sandbox has: modes of files, copies of descriptors, pipes within
 * the process, one user. WASI has no calls for these: module "posix" of the imports does (src/wasi/posix.ts).
 *
 * Functions of wasi-libc that lose a mode on their way are replaced: those which are in an object of their own by a
 * definition of the same name, others by the linker's --wrap (WRAPPED in toolchain.sh). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <wasi/api.h>
#include <wasi/libc-find-relpath.h>

#define IMPORT(name) __attribute__((import_module("posix"), import_name(#name)))

/* Each returns an error number of WASI. */
IMPORT(path_open)
int posix_path_open(int fd, int lookup, const char *path, size_t length, int oflags, uint64_t rights, int fdflags,
                    int mode, int *result);
IMPORT(path_create_directory) int posix_path_create_directory(int fd, const char *path, size_t length, int mode);
IMPORT(path_chmod) int posix_path_chmod(int fd, int lookup, const char *path, size_t length, int mode);
IMPORT(fd_chmod) int posix_fd_chmod(int fd, int mode);
IMPORT(fd_dup) int posix_fd_dup(int fd, int *result);
IMPORT(fd_dup2) int posix_fd_dup2(int from, int to);
IMPORT(fd_pipe) int posix_fd_pipe(int ends[2]);
/* Bytes in all, bytes free, inodes in all, inodes free. */
IMPORT(space) int posix_space(uint64_t result[4]);

/* Where src/wasi/stat.ts puts what WASI has no field for: in the padding after the type. */
#define MODE_AT 20
#define UID_AT 22

#define USER 1000
#define BLOCK 4096

static mode_t mask = 022;
/* What open and mkdir were asked for, for the functions beneath them. */
static mode_t wanted = 0666;

static int said(int error)
{
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/* The descriptor and the relative path for a path: cwd is wasi-libc's affair. -1: errno says why. */
static int place(const char *path, char **relative)
{
    const char *prefix;
    size_t length = strlen(path) + 1;

    *relative = malloc(length);
    if (*relative == NULL)
        return -1;
    int fd = __wasilibc_find_relpath_alloc(path, &prefix, relative, &length, 1);
    if (fd < 0)
        free(*relative);
    return fd;
}

/* Modes */

mode_t umask(mode_t next)
{
    mode_t last = mask;
    mask = next & 0777;
    return last;
}

int __wasilibc_nocwd_openat_nomode(int fd, const char *path, int flags)
{
    uint64_t rights = ~(__WASI_RIGHTS_FD_DATASYNC | __WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_WRITE |
                        __WASI_RIGHTS_FD_ALLOCATE | __WASI_RIGHTS_FD_READDIR | __WASI_RIGHTS_FD_FILESTAT_SET_SIZE);
    int result, error;

    if ((flags & O_ACCMODE) == 0)
        flags |= O_RDONLY; /* which is nothing elsewhere, and so left out */
    switch (flags & O_ACCMODE) {
    case O_RDWR:
    case O_RDONLY:
    case O_WRONLY:
        if (flags & O_RDONLY)
            rights |= __WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_READDIR;
        if (flags & O_WRONLY)
            rights |= __WASI_RIGHTS_FD_DATASYNC | __WASI_RIGHTS_FD_WRITE | __WASI_RIGHTS_FD_ALLOCATE |
                      __WASI_RIGHTS_FD_FILESTAT_SET_SIZE;
        break;
    case O_EXEC:
    case O_SEARCH:
        break;
    default:
        return said(EINVAL);
    }
    error = posix_path_open(fd, flags & O_NOFOLLOW ? 0 : __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW, path, strlen(path),
                            (flags >> 12) & 0xfff, rights, flags & 0xfff, wanted & ~mask, &result);
    return error ? said(error) : result;
}

int __wasilibc_nocwd_mkdirat_nomode(int fd, const char *path)
{
    return said(posix_path_create_directory(fd, path, strlen(path), wanted & ~mask));
}

static int open_with(int (*open)(int fd, const char *path, int flags), int fd, const char *path, int flags, mode_t mode)
{
    mode_t usual = wanted;
    if (flags & O_CREAT)
        wanted = mode & 07777;
    int result = open(fd, path, flags);
    wanted = usual;
    return result;
}

int __real_open(const char *path, int flags, ...);
int __real_openat(int fd, const char *path, int flags, ...);

static int open_here(int fd, const char *path, int flags) { return __real_open(path, flags); }
static int open_at(int fd, const char *path, int flags) { return __real_openat(fd, path, flags); }

/* The argument that is there only if a file may be made. */
#define MODE_OF(flags, mode) \
    do { \
        if ((flags) & O_CREAT) { \
            va_list rest; \
            va_start(rest, flags); \
            mode = va_arg(rest, int); \
            va_end(rest); \
        } \
    } while (0)

int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    MODE_OF(flags, mode);
    return open_with(open_here, AT_FDCWD, path, flags, mode);
}

int __wrap_openat(int fd, const char *path, int flags, ...)
{
    mode_t mode = 0;
    MODE_OF(flags, mode);
    return open_with(open_at, fd, path, flags, mode);
}

int __real_mkdir(const char *path, mode_t mode);
int __real_mkdirat(int fd, const char *path, mode_t mode);

int __wrap_mkdir(const char *path, mode_t mode)
{
    mode_t usual = wanted;
    wanted = mode & 07777;
    int result = __real_mkdir(path, mode);
    wanted = usual;
    return result;
}

int __wrap_mkdirat(int fd, const char *path, mode_t mode)
{
    mode_t usual = wanted;
    wanted = mode & 07777;
    int result = __real_mkdirat(fd, path, mode);
    wanted = usual;
    return result;
}

static int chmod_at(int fd, int lookup, const char *path, mode_t mode)
{
    char *relative;

    if (fd != AT_FDCWD && path[0] != '/')
        return said(posix_path_chmod(fd, lookup, path, strlen(path), mode & 07777));
    fd = place(path, &relative);
    if (fd < 0)
        return -1;
    int error = posix_path_chmod(fd, lookup, relative, strlen(relative), mode & 07777);
    free(relative);
    return said(error);
}

int __wrap_chmod(const char *path, mode_t mode)
{
    return chmod_at(AT_FDCWD, __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW, path, mode);
}

int __wrap_fchmodat(int fd, const char *path, mode_t mode, int flags)
{
    if (flags & ~AT_SYMLINK_NOFOLLOW)
        return said(EINVAL);
    return chmod_at(fd, flags & AT_SYMLINK_NOFOLLOW ? 0 : __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW, path, mode);
}

int __wrap_fchmod(int fd, mode_t mode) { return said(posix_fd_chmod(fd, mode & 07777)); }

int lchmod(const char *path, mode_t mode) { return chmod_at(AT_FDCWD, 0, path, mode); }

static struct timespec time_of(__wasi_timestamp_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static void tell(const __wasi_filestat_t *from, struct stat *to)
{
    uint16_t mode, uid;
    mode_t type = 0;

    memcpy(&mode, (const char *)from + MODE_AT, sizeof mode);
    memcpy(&uid, (const char *)from + UID_AT, sizeof uid);
    switch (from->filetype) {
    case __WASI_FILETYPE_BLOCK_DEVICE: type = S_IFBLK; break;
    case __WASI_FILETYPE_CHARACTER_DEVICE: type = S_IFCHR; break;
    case __WASI_FILETYPE_DIRECTORY: type = S_IFDIR; break;
    case __WASI_FILETYPE_REGULAR_FILE: type = S_IFREG; break;
    case __WASI_FILETYPE_SOCKET_STREAM: type = S_IFIFO; break; /* WASI has no type for pipes, and here are no sockets */
    case __WASI_FILETYPE_SYMBOLIC_LINK: type = S_IFLNK; break;
    }
    *to = (struct stat){
        .st_dev = from->dev,
        .st_ino = from->ino,
        .st_nlink = from->nlink,
        .st_mode = type | mode,
        .st_uid = uid,
        .st_gid = uid,
        .st_size = from->size,
        .st_blksize = BLOCK,
        .st_blocks = (from->size + 511) / 512,
        .st_atim = time_of(from->atim),
        .st_mtim = time_of(from->mtim),
        .st_ctim = time_of(from->ctim),
    };
}

int fstat(int fd, struct stat *result)
{
    __wasi_filestat_t found;
    __wasi_errno_t error = __wasi_fd_filestat_get(fd, &found);

    if (error != 0)
        return said(error);
    tell(&found, result);
    return 0;
}

/* wasi-libc's binding would measure the path with strlen, as this does. */
int __wasilibc_nocwd_fstatat(int fd, const char *restrict path, struct stat *restrict result, int flags)
{
    __wasi_filestat_t found;
    int lookup = flags & AT_SYMLINK_NOFOLLOW ? 0 : __WASI_LOOKUPFLAGS_SYMLINK_FOLLOW;
    __wasi_errno_t error = __wasi_path_filestat_get(fd, lookup, path, &found);

    if (error != 0)
        return said(error);
    tell(&found, result);
    return 0;
}

int __wasilibc_nocwd_faccessat(int fd, const char *path, int wish, int flags)
{
    struct stat found;
    int lookup = flags & AT_SYMLINK_NOFOLLOW;

    if ((wish & ~(F_OK | R_OK | W_OK | X_OK)) != 0)
        return said(EINVAL);
    if (__wasilibc_nocwd_fstatat(fd, path, &found, lookup) < 0)
        return -1;
    mode_t granted = found.st_uid == USER ? found.st_mode >> 6 : found.st_mode;
    if ((wish & R_OK && !(granted & 4)) || (wish & W_OK && !(granted & 2)) || (wish & X_OK && !(granted & 1)))
        return said(EACCES);
    return 0;
}

/* Descriptors */

int dup(int fd)
{
    int result;
    int error = posix_fd_dup(fd, &result);
    return error ? said(error) : result;
}

int dup2(int from, int to)
{
    int error = posix_fd_dup2(from, to);
    return error ? said(error) : to;
}

int dup3(int from, int to, int flags)
{
    if (from == to)
        return said(EINVAL);
    return dup2(from, to);
}

int pipe(int ends[2]) { return said(posix_fd_pipe(ends)); }

int pipe2(int ends[2], int flags)
{
    int error = pipe(ends);
    if (error == 0 && flags & O_NONBLOCK) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
    }
    return error;
}

void sync(void) {}

static int space_of(struct statvfs *result)
{
    uint64_t space[4];
    int error = posix_space(space);

    if (error != 0)
        return said(error);
    *result = (struct statvfs){
        .f_bsize = BLOCK,
        .f_frsize = BLOCK,
        .f_blocks = space[0] / BLOCK,
        .f_bfree = space[1] / BLOCK,
        .f_bavail = space[1] / BLOCK,
        .f_files = space[2],
        .f_ffree = space[3],
        .f_favail = space[3],
        .f_namemax = 255,
    };
    return 0;
}

int __wrap_statvfs(const char *restrict path, struct statvfs *restrict result)
{
    struct stat found;
    return stat(path, &found) < 0 ? -1 : space_of(result);
}

int __wrap_fstatvfs(int fd, struct statvfs *result)
{
    struct stat found;
    return fstat(fd, &found) < 0 ? -1 : space_of(result);
}

/* The one user, and the one process */

uid_t getuid(void) { return USER; }
uid_t geteuid(void) { return USER; }
gid_t getgid(void) { return USER; }
gid_t getegid(void) { return USER; }
pid_t getppid(void) { return 1; }

/* A user may give a file to nobody but herself. */
static int chown_found(const struct stat *found, uid_t uid, gid_t gid)
{
    int same = (uid == (uid_t)-1 || uid == found->st_uid) && (gid == (gid_t)-1 || gid == found->st_gid);
    return same && found->st_uid == USER ? 0 : said(EPERM);
}

int chown(const char *path, uid_t uid, gid_t gid)
{
    struct stat found;
    return stat(path, &found) < 0 ? -1 : chown_found(&found, uid, gid);
}

int lchown(const char *path, uid_t uid, gid_t gid)
{
    struct stat found;
    return lstat(path, &found) < 0 ? -1 : chown_found(&found, uid, gid);
}

int fchown(int fd, uid_t uid, gid_t gid)
{
    struct stat found;
    return fstat(fd, &found) < 0 ? -1 : chown_found(&found, uid, gid);
}

int fchownat(int fd, const char *path, uid_t uid, gid_t gid, int flags)
{
    struct stat found;
    return fstatat(fd, path, &found, flags & AT_SYMLINK_NOFOLLOW) < 0 ? -1 : chown_found(&found, uid, gid);
}

int gethostname(char *name, size_t length)
{
    static const char host[] = "wasmbox";

    if (length < sizeof host)
        return said(ENAMETOOLONG);
    memcpy(name, host, sizeof host);
    return 0;
}

/* To itself alone. A signal that would end the process is refused: it would take the session's heap with it. */
int kill(pid_t pid, int number)
{
    if (pid != getpid() && pid != 0)
        return said(ESRCH);
    if (number == 0)
        return 0;
    if (number < 0 || number >= _NSIG)
        return said(EINVAL);
    void (*handler)(int) = signal(number, SIG_IGN);
    if (handler == SIG_ERR)
        return said(EPERM);
    signal(number, handler);
    if (handler == SIG_DFL && number != SIGCHLD && number != SIGURG && number != SIGWINCH && number != SIGCONT)
        return said(EPERM);
    return raise(number);
}
