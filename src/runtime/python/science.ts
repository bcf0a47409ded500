/** Which programs start in the interpreter that has science's packages. */

const PACKAGES = "(?:numpy|pandas|matplotlib|mpl_toolkits|seaborn|pylab|PIL|contourpy|kiwisolver|fontTools)";
const IMPORTS = new RegExp(
  String.raw`^[ \t]*(?:from[ \t]+${PACKAGES}\b|import[ \t]+(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*${PACKAGES}\b|%matplotlib\b)`,
  "m",
);

/** Whether a program, by the looks of it, imports one of them. */
export function startsWithScience(code: string): boolean {
  return IMPORTS.test(code);
}
