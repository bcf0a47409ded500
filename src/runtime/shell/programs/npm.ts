/** `npm` and `npx`: packages come as by install_package, scripts run in the shell. */

import type { NpmCommand, NpmReport } from "../../../executor/wire/npm_command.ts";
import { ExitCode } from "../../../exit_code.ts";
import { listNpm, runNpm } from "../../npm/npm.ts";
import { satisfies, validRange } from "../../npm/semver.ts";
import type { ShellCommandOutcome } from "../../runtime.ts";
import { quoted } from "../quoted.ts";
import { NODE_MODULES } from "../../../fs/places.ts";
import { pathOf } from "./files.ts";
import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { checkInSync, readLock, writeLock } from "./npm_lock.ts";
import {
  newProject,
  programOf,
  type Project,
  readProject,
  withDependencies,
  withoutDependencies,
  writeProject,
} from "./npm_project.ts";
import { nextVersion, pkg } from "./npm_pkg.ts";
import { hostOf, NO_FUEL, Output, type ProgramEnd, withFuel } from "./process.ts";

const INSTALL = new Set(["install", "i", "add", "ci", "clean-install", "update", "up"]);
const UNINSTALL = new Set(["uninstall", "un", "remove", "rm"]);
const LIST = new Set(["ls", "list", "ll"]);

const SAVED_FOR_DEVELOPMENT = new Set(["-D", "--save-dev"]);
/** What leaves package.json alone, and what package-lock.json. */
const UNSAVED = new Set(["--no-save", "-g", "--global"]);
const UNLOCKED = new Set([...UNSAVED, "--no-package-lock", "--package-lock=false"]);
const RUN = new Set(["run", "run-script", "rum", "urn"]);
/** Scripts that have a verb of their own. */
const SHORT = new Set(["test", "start", "stop", "restart"]);

export function npm(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  const { fs } = surroundings.host;
  const [verb = "", ...rest] = request.args.filter((arg) => !arg.startsWith("-"));
  const path = pathOf(request, "package.json");
  if (INSTALL.has(verb)) {
    return install(surroundings, request, verb === "clean-install" ? "ci" : verb, rest);
  }
  if (UNINSTALL.has(verb) && rest.length > 0) {
    const ended = run(surroundings, { kind: "uninstall", names: rest });
    if (ended.exitCode === 0 && fs.exists(path)) {
      writeProject(fs, path, withoutDependencies(readProject(fs, path), rest));
      const lockPath = pathOf(request, "package-lock.json");
      if (fs.exists(lockPath)) writeLock(fs, lockPath, readProject(fs, path));
    }
    return ended;
  }
  if (LIST.has(verb)) return { stdout: listed(surroundings, request) };
  if (verb === "init" || verb === "create") {
    if (fs.exists(path)) return { stdout: `${path} is there already\n` };
    const made = newProject(request.cwd);
    writeProject(fs, path, made);
    return { stdout: `Wrote to ${path}:\n\n${JSON.stringify(made, null, 2)}\n\n` };
  }
  const words = wordsOf(request.args).slice(1);
  if (RUN.has(verb)) return runScript(surroundings, request, words);
  if (SHORT.has(verb) || verb === "t") {
    return runScript(surroundings, request, [verb === "t" ? "test" : verb, ...words]);
  }
  if (verb === "pkg") {
    const { stdout, changed } = pkg(readProject(fs, path), rest, request.args.includes("--json"));
    if (changed) writeProject(fs, path, changed);
    return { stdout };
  }
  if (verb === "version" && rest.length > 0) return setVersion(surroundings, request, rest[0]!);
  if (verb === "exec" || verb === "x") {
    const given = request.args.slice(request.args.indexOf(verb) + 1);
    const end = given.indexOf("--");
    return npx(surroundings, { ...request, args: given.filter((_, at) => at !== end) });
  }
  if (verb === "prefix") return { stdout: `${request.cwd}\n` };
  if (verb === "root") return { stdout: `${NODE_MODULES}\n` };
  if (request.args[0] === "--version" || request.args[0] === "-v") return { stdout: "10.0.0\n" };
  throw new ProgramError(
    "there are init, install, uninstall, update, ls, run, test, start, exec, pkg, version, prefix and root here. Packages are for all programs of the session",
  );
}

function install(
  surroundings: Surroundings,
  request: SpawnRequest,
  verb: string,
  names: readonly string[],
): ProgramOutput {
  const { fs } = surroundings.host;
  const path = pathOf(request, "package.json");
  const lockPath = pathOf(request, "package-lock.json");
  const upgrade = verb.startsWith("up");
  const locks = fs.exists(path) && !request.args.some((arg) => UNLOCKED.has(arg));
  const lock = locks ? readLock(fs, lockPath) : undefined;
  const wanted = names.length > 0 ? [] : wantedBy(readProject(fs, path), request);
  if (verb === "ci") {
    if (!lock) throw new ProgramError(`there is no ${lockPath}, which npm ci wants: npm install writes one`);
    if (names.length > 0) throw new ProgramError("npm ci takes no names");
    checkInSync(Object.fromEntries(wanted), lock);
  }
  const requirements = names.length > 0 ? names : wanted.map(([name, spec]) => `${name}@${spec}`);
  const ended = requirements.length === 0 ? { stdout: "up to date\n", exitCode: 0 } : run(surroundings, {
    kind: "install",
    requirements,
    upgrade,
    ...(lock && { lock: { versions: [...lock.versions.values()], frozen: verb === "ci" } }),
  });
  if (ended.exitCode !== 0) return ended;
  if (names.length > 0 && fs.exists(path) && !request.args.some((arg) => UNSAVED.has(arg))) {
    save(surroundings, request, path, names);
  }
  if (locks && verb !== "ci") writeLock(fs, lockPath, readProject(fs, path));
  return ended;
}

/** What is installed; of a project, what it asks for, unless all is to be told. */
function listed({ host }: Surroundings, request: SpawnRequest): string {
  const { fs } = host;
  const path = pathOf(request, "package.json");
  const asksForAll = request.args.some((arg) => ["-a", "--all", "-g", "--global"].includes(arg));
  const project = fs.exists(path) && !asksForAll ? readProject(fs, path) : undefined;
  const wanted = project && new Map(wantedBy(project, request));
  const lines = listNpm(host)
    .filter(({ name }) => !wanted || wanted.has(name))
    .map(({ name, version }) => `${name}@${version}`);
  if (!project) return lines.map((line) => `${line}\n`).join("") || "(empty)\n";
  const { name = "", version = "" } = project;
  const head = `${name}@${version} ${request.cwd}\n`;
  if (lines.length === 0) return `${head}└── (empty)\n\n`;
  const last = lines.length - 1;
  return `${head}${lines.map((line, at) => `${at === last ? "└" : "├"}── ${line}\n`).join("")}\n`;
}

/** Names and ranges that a project asks for. */
function wantedBy(
  { dependencies = {}, devDependencies = {} }: Project,
  { args }: SpawnRequest,
): [string, string][] {
  const omitsDevelopment = args.some((arg) => ["--production", "--omit=dev", "--only=prod"].includes(arg)) ||
    args.some((arg, at) => arg === "--omit" && args[at + 1] === "dev");
  return Object.entries({ ...dependencies, ...(!omitsDevelopment && devDependencies) });
}

/** Tells package.json what has been installed. */
function save(
  surroundings: Surroundings,
  request: SpawnRequest,
  path: string,
  names: readonly string[],
): void {
  const { fs } = surroundings.host;
  const there = new Map(listNpm(surroundings.host).map(({ name, version }) => [name, version]));
  const exactly = request.args.some((arg) => ["-E", "--save-exact"].includes(arg));
  const saved = names.flatMap((each) => {
    const name = nameIn(each);
    const version = there.get(name);
    return version === undefined ? [] : [[name, exactly ? version : `^${version}`]];
  });
  const field = request.args.some((arg) => SAVED_FOR_DEVELOPMENT.has(arg))
    ? "devDependencies"
    : "dependencies";
  writeProject(fs, path, withDependencies(readProject(fs, path), field, Object.fromEntries(saved)));
}

/** Another version in package.json; in a repository of git, a commit and a tag of it, too. */
function setVersion(surroundings: Surroundings, request: SpawnRequest, wanted: string): ProgramOutput {
  const { fs } = surroundings.host;
  const path = pathOf(request, "package.json");
  const project = readProject(fs, path);
  const next = nextVersion(project.version ?? "", wanted);
  const changed = { ...project, version: next };
  writeProject(fs, path, changed);
  const lockPath = pathOf(request, "package-lock.json");
  const hasLock = fs.exists(lockPath);
  if (hasLock) writeLock(fs, lockPath, changed);
  const tags = !request.args.some((arg) =>
    arg === "--no-git-tag-version" || arg === "--git-tag-version=false"
  );
  if (!tags || !fs.exists(pathOf(request, ".git"))) return { stdout: `v${next}\n` };
  // Nothing else that has changed: that is the next commit's.
  const files = hasLock ? "package.json package-lock.json" : "package.json";
  const lines = `git add ${files} && git commit -q -m ${next} ${files} && git tag -a v${next} -m ${next}`;
  return inShell(surroundings, request, `${lines} && echo v${next}`);
}

/** What is no option of npm's own: what stands after `--` is none. */
function wordsOf(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  return [...own.filter((arg) => !arg.startsWith("-")), ...end < 0 ? [] : args.slice(end + 1)];
}

/** Runs a script of package.json in a shell where it lies, with what comes before and after it. */
function runScript(
  surroundings: Surroundings,
  request: SpawnRequest,
  [name, ...args]: readonly string[],
): ProgramOutput {
  const { fs } = surroundings.host;
  const path = pathOf(request, "package.json");
  const project = readProject(fs, path);
  const { scripts = {} } = project;
  if (name === undefined) return { stdout: listedScripts(project) };
  const script = scripts[name] ??
    (name === "start" && fs.exists(pathOf(request, "server.js")) ? "node server.js" : undefined);
  if (script === undefined) {
    if (request.args.includes("--if-present")) return {};
    const known = Object.keys(scripts).join(", ") || "none";
    throw new ProgramError(`Missing script: "${name}". There are: ${known}`);
  }
  const more = args.map((arg) => ` ${/^[\w@%+=:,./-]+$/.test(arg) ? arg : quoted(arg)}`).join("");
  const quiet = request.args.some((arg) => ["-s", "--silent"].includes(arg));
  const parts = [[`pre${name}`, scripts[`pre${name}`]], [name, `${script}${more}`], [
    `post${name}`,
    scripts[`post${name}`],
  ]] as const;
  const lines = parts.flatMap(([event, text]) => {
    if (text === undefined) return [];
    const head = `\n> ${project.name ?? ""}@${project.version ?? ""} ${event}\n> ${text}\n\n`;
    const shows = quiet ? [] : [`printf %s ${quoted(head)}`];
    return [...shows, `export npm_lifecycle_event=${quoted(event)}`, `(${text}\n)`];
  });
  const env = {
    ...request.env,
    npm_package_name: project.name ?? "",
    npm_package_version: project.version ?? "",
    npm_package_json: path,
    npm_lifecycle_script: script,
  };
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

/** What npx would bring and is there. */
const OF_THE_SHELL = new Set(["node", "npm", "tsx", "ts-node"]);

/** Packages of programs whose own name is that of another package, which nobody means. */
const PACKAGES: Readonly<Record<string, string>> = { tsc: "typescript" };

export function npx(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  const args = [...request.args];
  let asked: string | undefined;
  while (args[0]?.startsWith("-")) {
    const option = args.shift()!;
    if (option === "-p" || option === "--package") asked = args.shift();
    else if (option.startsWith("--package=")) asked = option.slice("--package=".length);
  }
  const [given, ...rest] = args;
  if (given === undefined) throw new ProgramError("which program?");
  const name = nameIn(given);
  const requirement = asked ?? (Object.hasOwn(PACKAGES, given) ? PACKAGES[given]! : given);
  if (OF_THE_SHELL.has(name)) return inShell(surroundings, request, [name, ...rest].map(quoted).join(" "));
  const find = () => programOf(surroundings.host.fs, request.cwd, name.replace(/^@[^/]+\//, ""));
  let file = find();
  if (file === undefined || isOther(surroundings, requirement)) {
    const ended = run(surroundings, {
      kind: "install",
      requirements: [requirement],
      upgrade: false,
      toRun: true,
    });
    if (ended.exitCode !== 0) return { ...ended, exitCode: ExitCode.notFound };
    file = find();
    if (isOther(surroundings, requirement)) {
      throw new ProgramError(
        `another version than ${requirement} was asked for before: npm install ${requirement} takes its place`,
      );
    }
  }
  if (file === undefined) {
    throw new ProgramError(`the package ${nameIn(requirement)} has no program ${name}`, ExitCode.notFound);
  }
  return inShell(surroundings, request, ["node", file, ...rest].map(quoted).join(" "));
}

/** Whether another version is installed than one that is asked for; which one a tag means is not known here. */
function isOther({ host }: Surroundings, requirement: string): boolean {
  const name = nameIn(requirement);
  const range = validRange(requirement.slice(name.length + 1));
  const there = listNpm(host).find((each) => each.name === name);
  return there !== undefined && range !== null && range !== "*" && !satisfies(there.version, range);
}

/** The name in `NAME@VERSION`; it may begin with a scope, which begins with an @ itself. */
function nameIn(requirement: string): string {
  const at = requirement.indexOf("@", 1);
  return at < 0 ? requirement : requirement.slice(0, at);
}

/** Runs a script in a shell of its own, where the request was made. @param head What is printed before. */
function inShell(
  surroundings: Surroundings,
  request: SpawnRequest,
  script: string,
  head = "",
): ProgramOutput {
  const { cwd, env, stdin } = request;
  const output = new Output(request);
  output.write("stdout", new TextEncoder().encode(head));
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

function run(surroundings: Surroundings, command: NpmCommand): ProgramOutput {
  const output = new Output();
  const outcome = runNpm(hostOf(surroundings, output.write), command);
  if (outcome.status !== "completed") return output.ended({ exitCode: ExitCode.interrupted });
  const { error, installed, removed }: NpmReport = JSON.parse(outcome.result ?? "{}");
  if (error) return output.ended({ exitCode: 1, message: `npm error: ${error.message}\n` });
  const done = `added ${installed.length}, removed ${removed.length}\n`;
  output.write("stdout", new TextEncoder().encode(done));
  return output.ended({ exitCode: 0 });
}
