/** Paths as the operator writes them, for whatever system. */

/** Whether a path means the same in every working directory. */
export function isAbsolute(path: string): boolean {
  return /^([/\\]|[A-Za-z]:[/\\])/.test(path);
}
