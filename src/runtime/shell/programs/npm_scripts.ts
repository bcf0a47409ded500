/** Scripts of a project: what `npm run` and its kin do, in the shell or as one command of a program. */

import { ExitCode } from "../../../exit_code.ts";
import type { FileSystem } from "../../../fs/file_system.ts";
import type { ShellCommandOutcome } from "../../runtime.ts";
import { quoted } from "../quoted.ts";
import type { ParsedSpawn } from "../spawn.ts";
import { pathOf } from "./files.ts";
import { type Project, readProject } from "./npm_project.ts";
import { hostOf, NO_FUEL, Output, type ProgramEnd, withFuel } from "./process.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";

const RUN = new Set(["run", "run-script", "rum", "urn"]);
/** Scripts that have a verb of their own. */
const SHORT = new Set(["test", "start", "stop", "restart"]);

/** What are no options: all that stands after `--`, too. */
export function wordsOf(args: readonly string[]): readonly string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return [...args.slice(0, end).filter((arg) => !arg.startsWith("-")), ...args.slice(end + 1)];
}

/** @returns The name of the script that is to be run, and its arguments; undefined where none is. */
export function scriptIn(verb: string, rest: readonly string[]): readonly string[] | undefined {
  if (RUN.has(verb)) return rest;
  if (verb === "t") return ["test", ...rest];
  return SHORT.has(verb) ? [verb, ...rest] : undefined;
}

/** A script that is one command of a program: that runs beside others where the program does. */
export function commandOf(
  { host: { fs } }: Surroundings,
  request: ParsedSpawn,
): { readonly head: string; readonly request: ParsedSpawn } | undefined {
  const [verb = "", ...rest] = wordsOf(request.args);
  const [name, ...args] = scriptIn(verb, rest) ?? [];
  const path = pathOf(request, "package.json");
  if (name === undefined || !fs.exists(path)) return undefined;
  const project = readProject(fs, path);
  const script = scriptOf(fs, request, project, name);
  const { scripts = {} } = project;
  if (script === undefined || scripts[`pre${name}`] || scripts[`post${name}`]) return undefined;
  if (!/^[\w@%+=:,./ -]+$/.test(script)) return undefined;
  const words = script.trim().split(/ +/);
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (first < 0) return undefined;
  const [program, ...own] = words.slice(first);
  const assigned = words.slice(0, first).map((word) => word.split(/=(.*)/s).slice(0, 2));
  const env = {
    ...lifecycleEnv(request, project, path, script),
    npm_lifecycle_event: name,
    ...Object.fromEntries(assigned),
  };
  return {
    head: isQuiet(request) ? "" : headOf(project, name, script + wordsAfter(args)),
    request: { ...request, name: program!, args: [...own, ...args], env },
  };
}

function scriptOf(
  fs: FileSystem,
  request: ParsedSpawn,
  { scripts = {} }: Project,
  name: string,
): string | undefined {
  return scripts[name] ??
    (name === "start" && fs.exists(pathOf(request, "server.js")) ? "node server.js" : undefined);
}

function lifecycleEnv(
  request: ParsedSpawn,
  project: Project,
  path: string,
  script: string,
): Record<string, string> {
  return {
    ...request.env,
    npm_package_name: project.name ?? "",
    npm_package_version: project.version ?? "",
    npm_package_json: path,
    npm_lifecycle_script: script,
  };
}

function headOf({ name = "", version = "" }: Project, event: string, text: string): string {
  return `\n> ${name}@${version} ${event}\n> ${text}\n\n`;
}

function isQuiet({ args }: ParsedSpawn): boolean {
  return args.some((arg) => arg === "-s" || arg === "--silent");
}

/** What stands after a script's own text. */
function wordsAfter(args: readonly string[]): string {
  return args.map((arg) => ` ${/^[\w@%+=:,./-]+$/.test(arg) ? arg : quoted(arg)}`).join("");
}

/**
 * Runs a script of package.json in a shell where it lies, with what comes before and after it.
 *
 * @param args Its name and its arguments.
 */
export function runScript(
  surroundings: Surroundings,
  request: SpawnRequest,
  [name, ...args]: readonly string[],
): ProgramOutput {
  const { fs } = surroundings.host;
  const path = pathOf(request, "package.json");
  const project = readProject(fs, path);
  const { scripts = {} } = project;
  if (name === undefined) return { stdout: listedScripts(project) };
  const script = scriptOf(fs, request, project, name);
  if (script === undefined) {
    if (request.args.includes("--if-present")) return {};
    const known = Object.keys(scripts).join(", ") || "none";
    throw new ProgramError(`Missing script: "${name}". There are: ${known}`);
  }
  const parts = [[`pre${name}`, scripts[`pre${name}`]], [name, script + wordsAfter(args)], [
    `post${name}`,
    scripts[`post${name}`],
  ]] as const;
  const lines = parts.flatMap(([event, text]) => {
    if (text === undefined) return [];
    const shows = isQuiet(request) ? [] : [`printf %s ${quoted(headOf(project, event, text))}`];
    return [...shows, `export npm_lifecycle_event=${quoted(event)}`, `(${text}\n)`];
  });
  const env = lifecycleEnv(request, project, path, script);
  return inShell(surroundings, { ...request, env }, lines.join(" && "));
}

/** As npm lists them: those that have a verb of their own first. */
function listedScripts({ name = "", version = "", scripts = {} }: Project): string {
  const shown = (own: boolean) =>
    Object.entries(scripts).filter(([each]) => SHORT.has(each) === own)
      .map(([each, script]) => `  ${each}\n    ${script}\n`).join("");
  const [first, others] = [shown(true), shown(false)];
  const head = first && `Lifecycle scripts included in ${name}@${version}:\n${first}`;
  const rest = others &&
    `${
      first ? "available via `npm run`" : `Scripts available in ${name}@${version} via \`npm run\``
    }:\n${others}`;
  return head + rest;
}

/** Runs a script in a shell of its own, where the request was made. */
export function inShell(surroundings: Surroundings, request: SpawnRequest, script: string): ProgramOutput {
  const { cwd, env, stdin } = request;
  const output = new Output(request);
  const read = (buffer: Uint8Array) => stdin.read(buffer);
  const run = surroundings.runnerFor({ ...hostOf(surroundings, output.write), env, read });
  // Every shell begins in the session's own directory.
  const there = `cd ${quoted(cwd)} || exit\n${script}`;
  const outcome = withFuel(surroundings, (budget) => run({ script: there, capture: false, ...budget }));
  return output.ended(outcome ? scriptEnd(outcome) : NO_FUEL);
}

function scriptEnd({ ending, exitCode }: ShellCommandOutcome): ProgramEnd {
  if (ending === "out_of_fuel") return NO_FUEL;
  return { exitCode: ending === "exited" ? exitCode : ExitCode.interrupted };
}
