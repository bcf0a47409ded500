/** Which programs start from the image that has science's packages imported. */

/** What of them takes long to import; numpy alone does not. */
const SLOW = "(?:pandas|matplotlib|mpl_toolkits|seaborn|pylab)";
const IMPORTS = new RegExp(
  String.raw`^[ \t]*(?:from[ \t]+${SLOW}\b|import[ \t]+(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*${SLOW}\b|%matplotlib\b)`,
  "m",
);

/** Whether a program, by the looks of it, imports one of them. Being wrong costs time or memory, and nothing else. */
export function startsWithScience(code: string): boolean {
  return IMPORTS.test(code);
}
