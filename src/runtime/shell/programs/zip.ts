/** `zip`: archives that are made, added to, or lose something. */

import { Zip, ZipDeflate, ZipPassThrough } from "fflate/browser";
import { Collector } from "../../../archive/collector.ts";
import { pieces } from "../../../archive/pieces.ts";
import { walk } from "../../../archive/walk.ts";
import { matchesWildcard } from "../../../archive/wildcard.ts";
import { DamagedArchive } from "../../../archive/damaged.ts";
import { readZip } from "../../../archive/zip_format.ts";
import type { FileSystem } from "../../../fs/file_system.ts";
import { withoutSlashes } from "./files.ts";
import { type Options, parseOptions } from "./options.ts";
import type { ProgramOutput } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { Files, type Invocation, readWhole, type Tools } from "./tools.ts";

const decoder = new TextDecoder();

/** Exit codes of Info-ZIP. */
const NOTHING_TO_DO = 12;
const DAMAGED = 3;

const FLAGS = [
  ..."rqjyudmfDXTv@9876543210",
  ..."recurse-paths quiet junk-paths update delete move freshen no-extra no-dir-entries symlinks".split(" "),
  ..."test verbose names-stdin".split(" "),
];

/** What an archive has, or gets, of a file. */
interface Content {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o644;
const KINDS = { file: 0o100000, directory: 0o040000 };
/** What an entry can say of times: from 1980, in pairs of seconds. */
const [EARLIEST, LATEST] = [Date.UTC(1980, 0, 1), Date.UTC(2099, 11, 31)];
const TIME_STEP = 2000;

export function runZip(tools: Tools, invocation: Invocation): ProgramOutput {
  try {
    return zip(tools, invocation);
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    throw new ProgramError(`the archive is damaged: ${error.message}`, DAMAGED);
  }
}

function zip(tools: Tools, invocation: Invocation): ProgramOutput {
  const { fs, stop } = tools;
  const { args, left, taken } = patternsOf(invocation.args);
  const options = parseOptions(args, { flags: FLAGS });
  const [archive, ...named] = options.operands;
  const fromInput = options.has("@", "names-stdin") ? decoder.decode(invocation.stdin).split("\n") : [];
  const operands = [...named, ...fromInput.filter((name) => name !== "")];
  const testsAlone = options.has("T", "test") && operands.length === 0 && archive !== undefined;
  if (testsAlone) {
    const done = tested(tools, invocation, archive);
    return options.has("q", "quiet") ? { ...done, stdout: "" } : done;
  }
  if (archive === undefined || operands.length === 0) throw new ProgramError("Nothing to do!", NOTHING_TO_DO);
  const target = archive === "-" ? undefined : archivePath(invocation, archive);
  const contents = new Map<string, Content>();
  if (target !== undefined && fs.exists(target)) {
    for (const entry of readZip(readWhole(tools, target), stop, fs.quota.maxBytes)) {
      const mode = entry.mode ?? (entry.name.endsWith("/") ? DIRECTORY_MODE : FILE_MODE);
      contents.set(entry.name, { bytes: entry.read(), mode, modified: entry.modified });
    }
  }
  const matches = (patterns: readonly string[], name: string) =>
    patterns.some((pattern) => {
      stop.check();
      return matchesWildcard(pattern, name);
    });
  const wanted = (name: string) => !matches(left, name) && (taken.length === 0 || matches(taken, name));
  const lines: string[] = [];
  const warnings: string[] = [];
  const done = options.has("d", "delete")
    ? remove(contents, (name) => matches(operands, name) && wanted(name), lines)
    : add(tools, invocation, options, { target, operands, wanted, contents, lines, warnings });
  if (done.changed === 0 && !options.has("u", "f", "update", "freshen")) {
    return { ...nothingToDo(target ?? archive), stderr: warnings.join("") };
  }
  const level = Number(options.given.findLast(([name]) => /^\d$/.test(name))?.[0] ?? 6);
  const bytes = written(tools, contents, level);
  const stderr = warnings.join("");
  if (target === undefined) return { stdout: bytes, stderr };
  if (contents.size === 0) fs.rm(target, { force: true });
  else if (done.changed > 0) fs.writeFile(target, bytes);
  if (options.has("m", "move")) done.files.forEach((path) => fs.rm(path, { force: true }));
  if (options.has("T", "test")) lines.push(`test of ${archive} OK`); // as it was written a moment ago
  return { stdout: options.has("q", "quiet") ? "" : lines.map((line) => `${line}\n`).join(""), stderr };
}

/** As Info-ZIP has it, which tells of it where it tells of all else. */
function nothingToDo(path: string): ProgramOutput {
  return { stdout: `\nzip error: Nothing to do! (${path.split("/").at(-1)})\n`, exitCode: NOTHING_TO_DO };
}

/** `zip -T`. @throws {DamagedArchive} */
function tested(tools: Tools, invocation: Invocation, archive: string): ProgramOutput {
  const { fs, stop } = tools;
  const path = archivePath(invocation, archive);
  if (!fs.exists(path)) return nothingToDo(path);
  for (const entry of readZip(readWhole(tools, path), stop, fs.quota.maxBytes)) entry.read();
  return { stdout: `test of ${archive} OK\n` };
}

function archivePath(invocation: Invocation, archive: string): string {
  return invocation.path(/\.\w+$/.test(archive) ? archive : `${archive}.zip`);
}

/** `-x a b`, `-i 'c*'`, up to the next option: what is left out, and what alone is taken. */
function patternsOf(args: readonly string[]) {
  const others: string[] = [];
  const patterns = { x: [] as string[], i: [] as string[] };
  let into: string[] | undefined;
  for (const arg of args) {
    const long = { "--exclude": "-x", "--include": "-i" }[arg] ?? arg;
    const attached = /^-([xi])(.*)$/s.exec(long);
    if (attached) {
      into = patterns[attached[1] as "x" | "i"];
      if (attached[2]) into.push(attached[2]);
    } else if (into && arg !== "@" && !(arg.startsWith("-") && arg.length > 1)) into.push(arg);
    else {
      into = undefined;
      if (arg !== "@") others.push(arg);
    }
  }
  return { args: others, left: patterns.x, taken: patterns.i };
}

function remove(contents: Map<string, Content>, isNamed: (name: string) => boolean, lines: string[]) {
  const names = [...contents.keys()].filter(isNamed);
  for (const name of names) {
    contents.delete(name);
    lines.push(`deleting: ${name}`);
  }
  return { changed: names.length, files: [] };
}

function add(
  tools: Tools,
  invocation: Invocation,
  options: Options,
  { target, operands, wanted, contents, lines, warnings }: {
    readonly target: string | undefined;
    readonly operands: readonly string[];
    readonly wanted: (name: string) => boolean;
    readonly contents: Map<string, Content>;
    readonly lines: string[];
    readonly warnings: string[];
  },
) {
  const { fs, stop } = tools;
  const recursive = options.has("r", "recurse-paths");
  const junk = options.has("j", "junk-paths");
  const files = new Files(fs, fs.quota.maxBytes, stop);
  const taken: string[] = [];
  /** Where what it has comes from: what is named twice is taken once. */
  const sources = new Map<string, string>();
  let changed = 0;
  for (const operand of operands) {
    const path = invocation.path(operand);
    if (!fs.exists(path)) {
      warnings.push(`\tzip warning: name not matched: ${operand}\n`);
      continue;
    }
    const name = withoutSlashes(operand).replace(/^\/+/, "").replace(/^(\.\.?\/)+/, "") || ".";
    // Links are what they lead to, as with Info-ZIP's; one that leads nowhere is left out.
    for (const found of recursive ? walk(fs, path, name, stop, { follow: true }) : walkOne(fs, path, name)) {
      if (found.path === target || found.name === "." || found.type === "symlink") continue;
      const directory = found.type === "directory";
      if (directory && (junk || options.has("D", "no-dir-entries"))) continue;
      const plain = junk ? found.name.split("/").at(-1)! : found.name.replace(/^\.\//, "");
      const entry = directory ? `${plain}/` : plain;
      if (!wanted(entry) || sources.get(entry) === found.path) continue;
      sources.set(entry, found.path);
      const { mode, mtime } = fs.stat(found.path);
      const modified = Number(mtime / 1_000_000n);
      const there = contents.get(entry);
      if (there ? isUpToDate(options, there, modified) : options.has("f", "freshen")) continue;
      lines.push(`${there ? "updating" : "  adding"}: ${entry}`);
      contents.set(entry, {
        bytes: directory ? new Uint8Array(0) : files.read(found.path),
        mode: mode & 0o777,
        modified,
      });
      if (!directory) taken.push(found.path);
      changed++;
    }
  }
  return { changed, files: taken };
}

function isUpToDate(options: Options, there: Content, modified: number): boolean {
  return options.has("u", "f", "update", "freshen") && modified < there.modified + TIME_STEP;
}

function written({ fs, stop }: Tools, contents: ReadonlyMap<string, Content>, level: number): Uint8Array {
  const collector = new Collector(fs.quota.maxBytes);
  const stream = new Zip((error, piece) => {
    if (error) throw error;
    collector.add(piece);
  });
  for (const [name, { bytes, mode, modified }] of contents) {
    const file = level === 0 || bytes.length === 0
      ? new ZipPassThrough(name)
      : new ZipDeflate(name, { level: level as 6 });
    file.os = 3;
    file.attrs = ((name.endsWith("/") ? KINDS.directory : KINDS.file) | mode) << 16 >>> 0;
    file.mtime = asLocal(Math.min(Math.max(modified, EARLIEST), LATEST));
    stream.add(file);
    for (const [piece, last] of pieces(bytes, stop)) file.push(piece, last);
  }
  stream.end();
  return collector.bytes(stop);
}

/** The library asks a date for the server's own hours: they are to be those of UTC. */
function asLocal(milliseconds: number): Date {
  return new Date(milliseconds + new Date(milliseconds).getTimezoneOffset() * 60_000);
}

function walkOne(fs: FileSystem, path: string, name: string) {
  return [{ path, name, type: fs.stat(path).type }];
}
