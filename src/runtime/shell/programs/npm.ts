/** `npm` and `npx`: packages come as by install_package, scripts run in the shell. */

import type { NpmCommand, NpmReport } from "../../../executor/wire/npm_command.ts";
import { ExitCode } from "../../../exit_code.ts";
import { listNpm, runNpm } from "../../npm/npm.ts";
import { satisfies, validRange } from "../../npm/semver.ts";
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
import { inShell, runScript, scriptIn, wordsOf } from "./npm_scripts.ts";
import { hostOf, Output } from "./process.ts";

const INSTALL = new Set(["install", "i", "add", "ci", "clean-install", "update", "up"]);
const UNINSTALL = new Set(["uninstall", "un", "remove", "rm"]);
const LIST = new Set(["ls", "list", "ll"]);

const SAVED_FOR_DEVELOPMENT = new Set(["-D", "--save-dev"]);
/** What leaves package.json alone, and what package-lock.json. */
const UNSAVED = new Set(["--no-save", "-g", "--global"]);
const UNLOCKED = new Set([...UNSAVED, "--no-package-lock", "--package-lock=false"]);

export function npm(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  const { fs } = surroundings.host;
  const [verb = "", ...rest] = wordsOf(request.args);
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
  const script = scriptIn(verb, rest);
  if (script) return runScript(surroundings, request, script);
  if (verb === "pkg") {
    const { stdout, changed } = pkg(readProject(fs, path), rest, request.args.includes("--json"));
    if (changed) writeProject(fs, path, changed);
    return { stdout };
  }
  if (verb === "version" && rest.length > 0) return setVersion(surroundings, request, rest);
  if (verb === "exec" || verb === "x") {
    const args = request.args.slice(request.args.indexOf(verb) + 1);
    const end = args.indexOf("--");
    return npx(surroundings, { ...request, args: end < 0 ? args : args.toSpliced(end, 1) });
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
function setVersion(
  surroundings: Surroundings,
  request: SpawnRequest,
  words: readonly string[],
): ProgramOutput {
  const { fs } = surroundings.host;
  const { args } = request;
  const at = args.findIndex((arg) => arg === "-m" || arg === "--message");
  const message = at < 0 ? "%s" : args[at + 1] ?? "%s";
  const wanted = words.find((word) => at < 0 || word !== message) ?? "";
  const path = pathOf(request, "package.json");
  const project = readProject(fs, path);
  const next = nextVersion(project.version ?? "", wanted);
  const lockPath = pathOf(request, "package-lock.json");
  const hasLock = fs.exists(lockPath);
  const tags = !args.includes("--no-git-tag-version") && !args.includes("--git-tag-version=false");
  if (!tags || !fs.exists(pathOf(request, ".git"))) {
    const changed = { ...project, version: next };
    writeProject(fs, path, changed);
    if (hasLock) writeLock(fs, lockPath, changed);
    return { stdout: `v${next}\n` };
  }
  const told = quoted(message.replaceAll("%s", next));
  const clean = `{ [ -z "$(git status --porcelain -uno)" ] || {
    echo "npm error Git working directory not clean." >&2; false; }; }`;
  return inShell(
    surroundings,
    request,
    [
      ...(args.includes("--force") || args.includes("-f") ? [] : [clean]),
      `npm version ${next} --no-git-tag-version >/dev/null`,
      `git add package.json${hasLock ? " package-lock.json" : ""}`,
      `git commit -q -m ${told}`,
      `git tag -a v${next} -m ${told}`,
      `echo v${next}`,
    ].join(" && "),
  );
}

/** What npx would bring and is there. */
const OF_THE_SHELL = new Set(["node", "npm", "tsx", "ts-node"]);

/** Packages of programs whose own name is that of another package, which nobody means. */
const PACKAGES: Readonly<Record<string, string>> = { tsc: "typescript" };

export function npx(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  const command = commandOfNpx(surroundings, request);
  return "args" in command
    ? inShell(surroundings, request, [command.name, ...command.args].map(quoted).join(" "))
    : command;
}

/** What npx runs, which is installed if it is not there; or what has become of that. */
export function commandOfNpx(
  surroundings: Surroundings,
  request: SpawnRequest,
): { readonly name: string; readonly args: readonly string[] } | ProgramOutput {
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
  if (OF_THE_SHELL.has(name)) return { name, args: rest };
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
  return { name: "node", args: [file, ...rest] };
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
