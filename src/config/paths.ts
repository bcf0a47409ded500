/** Paths as operators write them, on any system. */

/** Whether a path means the same whatever the working directory is. */
export function isAbsolute(path: string): boolean {
  return /^([/\\]|[A-Za-z]:[/\\])/.test(path);
}
