/** Small commands over files that just-bash lacks. */

import { FsError } from "../../../fs/file_system.ts";
import type { Command } from "../just_bash.ts";
import { bytesOfText, textOf } from "../bytes.ts";
import { parseOptions } from "./options.ts";
import { LIMITS } from "../limits.ts";
import {
  bounded,
  command,
  CommandError,
  type CommandOutput,
  Files,
  type Invocation,
  output,
  TEXT_MAX_BYTES,
  type Tools,
} from "./tools.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

export function fileCommands(tools: Tools): Command[] {
  return [
    command("mktemp", (invocation) => mktemp(tools, invocation)),
    command("realpath", (invocation) => realpath(tools, invocation)),
    command("cmp", (invocation) => cmp(tools, invocation)),
    command("shuf", (invocation) => shuf(tools, invocation)),
    command("truncate", (invocation) => truncate(tools, invocation)),
    // There is no terminal to page on.
    ...["less", "more"].map((name) => command(name, (invocation) => show(tools, invocation))),
  ];
}

/** A file, or standard input for "-". @throws {CommandError} */
function read(files: Files, invocation: Invocation, name: string): Uint8Array {
  if (name === "-") return invocation.stdin();
  try {
    return files.read(invocation.path(name));
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    throw new CommandError(`${name}: ${reasonOf(error)}`);
  }
}

function mktemp({ fs, host }: Tools, invocation: Invocation): CommandOutput {
  const options = parseOptions(invocation.args, { flags: [..."dqut", "directory"], valued: ["p", "tmpdir"] });
  const template = options.operands[0] ?? "tmp.XXXXXXXXXX";
  const marks = /X{3,}$/.exec(template)?.[0];
  if (marks === undefined) throw new CommandError(`too few X's in template '${template}'`);
  const base = options.value("p", "tmpdir") ??
    (options.operands.length === 0 || options.has("t") ? "/tmp" : ".");
  for (;;) {
    const random = new Uint8Array(marks.length);
    host.random(random);
    const name = [...random].map((byte) => LETTERS[byte % LETTERS.length]).join("");
    const relative = template.slice(0, -marks.length) + name;
    const path = invocation.context.fs.resolvePath(invocation.path(base), relative);
    if (fs.exists(path, { follow: false })) continue;
    if (!options.has("u")) {
      if (options.has("d", "directory")) fs.mkdir(path, { mode: 0o700 });
      else fs.writeFile(path, new Uint8Array(0), { mode: 0o600 });
    }
    return { stdout: `${base === "." && !template.startsWith("/") ? relative : path}\n` };
  }
}

function realpath({ fs }: Tools, invocation: Invocation): CommandOutput {
  const options = parseOptions(invocation.args, { flags: [..."emsqzL"] });
  let stdout = "";
  let stderr = "";
  for (const name of options.operands) {
    const path = invocation.path(name);
    try {
      const parent = path.slice(0, path.lastIndexOf("/")) || "/";
      if (options.has("m", "s")) stdout += `${path}\n`;
      else if (fs.exists(path) || options.has("e")) stdout += `${fs.realpath(path)}\n`;
      else stdout += `${fs.realpath(parent).replace(/\/$/, "")}${path.slice(path.lastIndexOf("/"))}\n`;
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      stderr += `realpath: ${name}: ${reasonOf(error)}\n`;
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
}

function cmp(tools: Tools, invocation: Invocation): CommandOutput {
  const options = parseOptions(invocation.args, { flags: [..."sbl", "silent", "quiet"] });
  const [first, second = "-"] = options.operands;
  if (first === undefined) throw new CommandError("missing operand after 'cmp'", 2);
  const files = new Files(tools.fs, tools.fs.quota.maxBytes);
  const one = read(files, invocation, first);
  const other = read(files, invocation, second);
  const shorter = Math.min(one.length, other.length);
  let at = 0;
  let line = 1;
  for (; at < shorter && one[at] === other[at]; at++) if (one[at] === 10) line++;
  if (at === one.length && at === other.length) return {};
  if (options.has("s", "silent", "quiet")) return { exitCode: 1 };
  if (at === shorter) {
    const name = one.length < other.length ? first : second;
    return { stderr: `cmp: EOF on ${name} after byte ${at}, in line ${line}\n`, exitCode: 1 };
  }
  return { stdout: `${first} ${second} differ: byte ${at + 1}, line ${line}\n`, exitCode: 1 };
}

function shuf(tools: Tools, invocation: Invocation): CommandOutput {
  const options = parseOptions(invocation.args, { flags: ["e", "r", "z"], valued: ["n", "i"] });
  const range = /^(\d+)-(\d+)$/.exec(options.value("i") ?? "");
  let lines: string[];
  if (range) {
    const [from, to] = [Number(range[1]), Number(range[2])];
    if (to - from > 1_000_000) throw new CommandError("the range is too large");
    lines = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => String(from + i));
  } else if (options.has("e")) lines = [...options.operands];
  else {
    const files = new Files(tools.fs, TEXT_MAX_BYTES);
    const bytes = read(files, invocation, options.operands[0] ?? "-");
    lines = textOf(bounded(bytes)).replace(/\n$/, "").split("\n");
  }
  const random = new Uint32Array(lines.length);
  tools.host.random(new Uint8Array(random.buffer));
  for (let i = lines.length - 1; i > 0; i--) {
    const j = random[i]! % (i + 1);
    [lines[i], lines[j]] = [lines[j]!, lines[i]!];
  }
  const count = Number(options.value("n") ?? lines.length);
  return { stdout: bytesOfText(lines.slice(0, count).map((line) => `${line}\n`).join("")) };
}

function truncate({ fs }: Tools, invocation: Invocation): CommandOutput {
  const options = parseOptions(invocation.args, { flags: ["c"], valued: ["s", "size"] });
  const [, sign, digits, unit = ""] = /^([+-]?)(\d+)([KMG]?)$/.exec(options.value("s", "size") ?? "") ?? [];
  if (digits === undefined) throw new CommandError("you must specify '--size'");
  const bytes = Number(digits) * ({ "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[unit] ?? 1);
  for (const name of options.operands) {
    const path = invocation.path(name);
    if (!fs.exists(path)) {
      if (options.has("c")) continue;
      fs.writeFile(path, new Uint8Array(0));
    }
    const { size } = fs.stat(path);
    fs.truncate(path, sign === "+" ? size + bytes : sign === "-" ? Math.max(0, size - bytes) : bytes);
  }
  return {};
}

function show(tools: Tools, invocation: Invocation): CommandOutput {
  const names = invocation.args.filter((arg) => !/^[-+]./.test(arg));
  const files = new Files(tools.fs, LIMITS.maxOutputSize);
  const printed = output();
  for (const name of names.length === 0 ? ["-"] : names) {
    tools.stop.checkNow();
    printed.add(read(files, invocation, name));
  }
  return { stdout: printed.bytes() };
}

function reasonOf(error: FsError): string {
  const reason = error.message.replace(/^[A-Z]+: /, "").replace(/, '.*/s, "");
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
