/** The interpreter that has numpy and what stands on it, and which programs start in it. */

const MODULES = [
  "PIL",
  "contourpy",
  "fontTools",
  "kiwisolver",
  "matplotlib",
  "mpl_toolkits",
  "numpy",
  "pandas",
  "pylab",
  "seaborn",
];

const ONE = `(?:${MODULES.join("|")})`;
const OTHERS = String.raw`(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*`;
const IMPORTS = new RegExp(
  String.raw`^[ \t]*(?:from[ \t]+${ONE}\b|import[ \t]+${OTHERS}${ONE}\b|%matplotlib\b)`,
  "m",
);

/** Whether a program, by the looks of it, imports a module of that interpreter. */
export function startsWithScience(code: string): boolean {
  return IMPORTS.test(code);
}

/** What is said to a program of another interpreter that wants one of those; undefined if it is none of them. */
export function adviceOnScience(name: string): string | undefined {
  if (!MODULES.includes(name)) return undefined;
  return `It comes with an interpreter of its own, in which a session starts if its first program imports ${name}: ` +
    `use a new session, or reset_workspace, which empties this one.`;
}
