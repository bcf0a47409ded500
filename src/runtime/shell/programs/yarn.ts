/** `yarn` and `pnpm`, by npm: what they do otherwise is how they keep packages, and a session has one place for these. */

import type { ParsedSpawn } from "../spawn.ts";
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

const YARNS: ReadonlySet<string> = new Set(["yarn", "pnpm"]);

export function yarn(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  const asked = asNpm(request);
  return asked.name === "npx" ? npx(surroundings, asked) : npm(surroundings, asked);
}

/** What npm or npx would be asked for: nothing else where they are asked already. */
export function asNpm<Request extends ParsedSpawn>(request: Request): Request {
  if (!YARNS.has(request.name)) return request;
  const fallback = request.name === "yarn" ? "install" : ""; // without a verb yarn installs
  const args = request.args.map((arg) => OPTIONS[arg] ?? arg);
  const at = args.findIndex((arg) => !arg.startsWith("-"));
  const verb = args[at];
  if (verb === undefined) {
    const asks = args.some((arg) => arg === "--version" || arg === "-v");
    return { ...request, name: "npm", args: asks || fallback === "" ? args : [fallback, ...args] };
  }
  const rest = args.toSpliced(at, 1);
  if (RUNS_PROGRAMS.has(verb)) return { ...request, name: "npx", args: rest };
  const known = VERBS[verb];
  if (known !== undefined) return { ...request, name: "npm", args: [known, ...rest] };
  // A script of the project, with or without a verb for it; npm wants a mark before what is the script's.
  const [name, ...own] = verb === "run" ? rest : [verb, ...rest];
  return {
    ...request,
    name: "npm",
    args: ["run", ...(name === undefined ? [] : [name]), ...(own.length > 0 ? ["--", ...own] : [])],
  };
}
