/** Commands as scripts of the session's shell: each in a shell of its own, with its input and output in files. */
import fs from "./fs.js";
import { placeOf } from "./fs_descriptors.js";
import process from "./process.js";
import { host } from "./runtime.js";

/** What a script ends with before it has begun. Shells have no codes for these. */
const NO_PROGRAM = 251;
const NO_DIRECTORY = 252;
const NOT_EXECUTABLE = 253;
const NAME = /^[A-Za-z_]\w*$/;

let count = 0;
/** Ids are none of the program's own. */
const FIRST_ID = 1000;
const nextId = () => FIRST_ID + ++count;

export const quoted = (text) => `'${`${text}`.replaceAll("'", "'\\''")}'`;

/** What gives a shell a program's environment. */
export function environment(env) {
  const wanted = Object.entries(env).filter(([name, value]) => NAME.test(name) && value !== undefined);
  const unwanted = Object.keys(process.env).filter((name) =>
    NAME.test(name) && name !== "PATH" && !(name in env)
  );
  return [
    ...wanted.map(([name, value]) => `export ${name}=${quoted(value)}`),
    ...unwanted.map((name) => `unset ${name}`),
  ];
}

/** What of stdout and stderr goes to open files, or to the other one of the program's own streams, as a shell is told. */
export const redirections = (stdio) =>
  stdio.flatMap((kind, at) => {
    if (typeof kind !== "number") return [];
    return kind > 2 ? `${at + 1}>>${quoted(placeOf(kind))}` : `${at + 1}>&${kind}`;
  });

/** What fails where there is no such program; with another code where it may not be run. */
function found(file) {
  const name = quoted(file);
  return file.includes("/")
    ? `if [ -e ${name} ] && ! { [ -f ${name} ] && [ -x ${name} ]; }; then exit ${NOT_EXECUTABLE}; fi; [ -e ${name} ]`
    : `type -P ${name} >/dev/null`;
}

/** @returns undefined where there is no shell. */
function run(script, files, timeout) {
  const limit = timeout > 0 && Number.isFinite(timeout) ? { timeout: timeout / 1000 } : {};
  return JSON.parse(host.runScript(JSON.stringify({ script, files, ...limit }))) ?? undefined;
}

/** Why a script has not begun to do what it was to. */
function missing(code, line) {
  if (code === NO_DIRECTORY || code === NO_PROGRAM && line === undefined) return "ENOENT";
  return code === NOT_EXECUTABLE && line === undefined ? "EACCES" : undefined;
}

/**
 * @param command What to run: `line`, a line of the shell, or `file` with `args`.
 * @param stdio Of stdout and stderr each: "pipe", "inherit", "ignore", or the number of an open file.
 * @returns How it ended, with the code of why it did not begin in `missing`, and bytes of what was piped; undefined where
 *   there is no shell.
 */
export function runCommand({ line, file, args = [], cwd, env, input, timeout, stdio }) {
  const id = nextId();
  const place = (name) => `/tmp/.child-${id}-${name}`;
  const piped = ["stdout", "stderr"].filter((_, at) => stdio[at] === "pipe");
  const ignored = ["stdout", "stderr"].filter((_, at) => stdio[at] === "ignore");
  const files = Object.fromEntries(piped.map((stream) => [stream, place(stream)]));
  const words = [file, ...args].map(quoted).join(" ");
  const script = [
    `cd ${quoted(cwd ?? process.cwd())} 2>/dev/null || exit ${NO_DIRECTORY}`,
    ...environment(env ?? process.env),
    line === undefined ? `${found(file)} || exit ${NO_PROGRAM}\n( ${words} )` : `( eval ${quoted(line)}\n)`,
  ].join("\n");
  const redirected = [
    `<${place("stdin")}`,
    ...redirections(stdio),
    ...ignored.map((stream) => stream === "stdout" ? ">/dev/null" : "2>/dev/null"),
  ];
  try {
    fs.writeFileSync(place("stdin"), input ?? "");
    for (const stream of piped) fs.writeFileSync(place(stream), "");
    const ended = run(`${script} ${redirected.join(" ")}`, files, timeout);
    if (!ended) return undefined;
    const [stdout, stderr] = ["stdout", "stderr"].map((stream) =>
      piped.includes(stream) ? fs.readFileSync(place(stream)) : null
    );
    const code = ended.exit_code;
    const timedOut = ended.ending === "timed_out";
    return { id, stdout, stderr, code, missing: missing(code, line), timedOut, complete: ended.complete };
  } finally {
    for (const name of ["stdin", ...piped]) fs.rmSync(place(name), { force: true });
  }
}

/** What there was, of what was asked for by its name. */
const there = new Set();

/** @returns The code of why a command can't be started: there is no such program, it may not be run, there is no such directory. */
export function missingOf({ line, file, cwd, env }) {
  if (line === undefined && there.has(file) && cwd === undefined) return undefined;
  const ended = run(
    [
      `cd ${quoted(cwd ?? process.cwd())} 2>/dev/null || exit ${NO_DIRECTORY}`,
      ...environment(env ?? process.env),
      line === undefined ? `${found(file)} || exit ${NO_PROGRAM}` : ":",
    ].join("\n"),
    {},
    0,
  );
  if (ended?.exit_code === 0 && line === undefined && !file.includes("/")) there.add(file);
  return ended && missing(ended.exit_code, line);
}
