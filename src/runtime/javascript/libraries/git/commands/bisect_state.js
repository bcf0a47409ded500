/** What a bisection leaves behind, where git has it. */
import { isFile, readText } from "../system.js";

export const fileOf = ({ refs }, name) => refs.file(`BISECT_${name}`);
export const isBisecting = (repository) => isFile(fileOf(repository, "START"));

/** What good and bad commits are called. @returns `given`: whether that is settled. */
export function termsOf(repository) {
  const [bad, good] = (readText(fileOf(repository, "TERMS")) ?? "").split("\n");
  return bad ? { bad, good, given: true } : { bad: "bad", good: "good", given: false };
}

/** What `status` says of it. */
export function bisectText(repository) {
  const from = readText(fileOf(repository, "START")).trim();
  const place = /^[0-9a-f]{40}$/.test(from) ? from.slice(0, 7) : `branch '${from}'`;
  return `You are currently bisecting, started from ${place}.\n  (use "git bisect reset" to get back to the original branch)\n\n`;
}
