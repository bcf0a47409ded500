/**
 * Asks Node where it finds modules. Standard input: JSON of `{ conditions, trees }`, of which each is
 * `{ root, questions: [{ from, specifier, kind }] }` with directories below `root`; conditions are Node's own if null.
 * Standard output: the answers for each tree, paths below `root` or error codes.
 */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { createRequire, register } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

let input = "";
for await (const chunk of process.stdin) input += chunk;
const { conditions, trees } = JSON.parse(input);

const HOOK = `let table;
export function initialize(conditions) { table = conditions; }
export function resolve(specifier, context, next) {
  const at = specifier.indexOf(" ");
  if (at < 0) return next(specifier, context);
  const conditions = table[specifier.slice(0, at)];
  return next(specifier.slice(at + 1), { ...context, conditions });
}`;
if (conditions) register(`data:text/javascript,${encodeURIComponent(HOOK)}`, { data: conditions });

const below = (root, path) =>
  path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path.replace(/^node:/, "");

function required(root, from, specifier) {
  try {
    return below(root, createRequire(join(root, from, "ask.cjs")).resolve(specifier));
  } catch (error) {
    return error.code;
  }
}

const asking = new Map();
async function imported(root, from, specifier, kind) {
  const file = join(root, from, "ask.mjs");
  if (!asking.has(file)) {
    writeFileSync(file, "export const resolve = (specifier) => import.meta.resolve(specifier);");
    asking.set(file, (await import(pathToFileURL(file))).resolve);
  }
  try {
    const url = asking.get(file)(conditions ? `${kind} ${specifier}` : specifier);
    if (!url.startsWith("file:")) return below(root, url);
    const path = fileURLToPath(url);
    return existsSync(path) && statSync(path).isFile() ? below(root, path) : "ERR_MODULE_NOT_FOUND";
  } catch (error) {
    return error.code;
  }
}

async function answerOf(root, { from, specifier, kind }) {
  let answer = kind === "require" && !conditions ? undefined : await imported(root, from, specifier, kind);
  // Files of a package without exports are not named in full by those who require them.
  const plain = answer === undefined || kind === "require" && answer === "ERR_MODULE_NOT_FOUND";
  if (plain) answer = required(root, from, specifier);
  return answer === "MODULE_NOT_FOUND" ? "ERR_MODULE_NOT_FOUND" : answer ?? "an error without a code";
}

const answers = [];
for (const { root, questions } of trees) {
  const given = [];
  for (const question of questions) given.push(await answerOf(root, question));
  answers.push(given);
}
console.log(JSON.stringify(answers));
