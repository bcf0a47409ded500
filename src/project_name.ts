/** Names of Python's projects. */

/** @see https://packaging.python.org/en/latest/specifications/name-normalization/ */
export function normalized(name: string): string {
  return name.replaceAll(/[-_.]+/g, "-").toLowerCase();
}
