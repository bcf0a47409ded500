/* Linux's numbers for errors (errors.c). */

/* Before any module has copied a number of errno's. Non-zero with an exception set: it could not. */
int errors_renumber(void);
