/** `yarn` and `pnpm`, by npm: what they do otherwise is how they keep packages, and a session has one place for these. */

import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { npm, npx } from "./npm.ts";

/** By their verbs, npm's. */
const VERBS: Readonly<Record<string, string>> = {
  add: "install",
  i: "install",
  install: "install",
  up: "update",
  update: "update",
  upgrade: "update",
  remove: "uninstall",
  rm: "uninstall",
  uninstall: "uninstall",
  init: "init",
  list: "ls",
  ls: "ls",
  test: "test",
  start: "start",
};
const RUNS_PROGRAMS = new Set(["dlx", "exec"]);
const OPTIONS: Readonly<Record<string, string>> = { "--dev": "--save-dev", "--exact": "--save-exact" };

/** Without a verb it installs. */
export function yarn(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  return likeNpm(surroundings, request, "install");
}

export function pnpm(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  return likeNpm(surroundings, request, "");
}

function likeNpm(surroundings: Surroundings, request: SpawnRequest, fallback: string): ProgramOutput {
  const args = request.args.map((arg) => OPTIONS[arg] ?? arg);
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const verb = args[at];
  if (verb === undefined) {
    const asks = args.some((arg) => arg === "--version" || arg === "-v");
    return npm(surroundings, { ...request, args: asks || fallback === "" ? args : [fallback, ...args] });
  }
  const rest = args.toSpliced(at, 1);
  if (RUNS_PROGRAMS.has(verb)) return npx(surroundings, { ...request, args: rest });
  const known = VERBS[verb];
  if (known !== undefined) return npm(surroundings, { ...request, args: [known, ...rest] });
  // A script of the project, with or without a verb for it; npm wants a mark before what is the script's.
  const [name, ...own] = verb === "run" ? rest : [verb, ...rest];
  return npm(surroundings, {
    ...request,
    args: ["run", ...(name === undefined ? [] : [name]), ...(own.length > 0 ? ["--", ...own] : [])],
  });
}
