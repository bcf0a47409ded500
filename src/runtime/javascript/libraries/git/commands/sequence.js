/** What is left of several commits that are picked or reverted, where git has it: for what comes after a conflict. */
import { partsOf } from "../pretty.js";
import { Options } from "../options.js";
import { isFile, readText, removeTree, writeText } from "../system.js";

/** Options that hold for the rest, too, by their names in git's file. */
const KEPT = {
  "x": "record-origin",
  "signoff": "signoff",
  "allow-empty": "allow-empty",
  "no-commit": "no-commit",
  "mainline": "mainline",
};

const file = ({ refs }, name) => refs.file(`sequencer/${name}`);

/** Notes what is to be done, and where it began. */
export async function beginSequence(repository, options, { verb, targets }) {
  const { oid } = await repository.refs.head();
  writeText(file(repository, "head"), `${oid}\n`);
  const kept = options.given.filter(([name]) => KEPT[name]).map(([name, value]) =>
    `\t${KEPT[name]} = ${value ?? "true"}\n`
  );
  if (kept.length > 0) writeText(file(repository, "opts"), `[options]\n${kept.join("")}`);
  const lines = [];
  for (const target of targets) {
    const { subject } = partsOf((await repository.objects.commit(target)).message);
    lines.push(`${verb === "revert" ? "revert" : "pick"} ${target} ${subject}\n`);
  }
  writeText(file(repository, "todo"), lines.join(""));
}

/** Notes what is left, where there are several. */
export function keepRest(repository, targets) {
  const text = readText(file(repository, "todo"));
  if (text === undefined) return;
  const lines = text.split("\n").filter((line) => line !== "");
  writeText(file(repository, "todo"), lines.slice(-targets.length).map((line) => `${line}\n`).join(""));
}

/** What is going on: `{ head, targets, options }`; undefined: a single commit, or nothing. */
export function sequenceOf(repository) {
  if (!isFile(file(repository, "todo"))) return undefined;
  const targets = readText(file(repository, "todo")).split("\n").filter((line) => line !== "").map((line) =>
    line.split(" ")[1]
  );
  const options = new Options();
  for (
    const [, name, value] of (readText(file(repository, "opts")) ?? "").matchAll(/^\t([\w-]+) = (.*)$/gm)
  ) {
    const [own] = Object.entries(KEPT).find(([, each]) => each === name) ?? [];
    if (own) options.given.push([own, value === "true" ? undefined : value]);
  }
  return { head: readText(file(repository, "head")).trim(), targets, options };
}

export const endSequence = (repository) => removeTree(repository.refs.file("sequencer"));
