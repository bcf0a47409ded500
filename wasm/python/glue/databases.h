/* Locks of SQLite's files (databases.c). */

/* Non-zero: SQLite has no file system that locks. */
int databases_lock(void);
