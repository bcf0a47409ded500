/** `unzip`, and what of `zipinfo` lists names. */

import { DamagedArchive } from "../../../archive/damaged.ts";
import { makeDirectory, makeFile, placeFor, UnsafeEntry } from "../../../archive/extract.ts";
import { matchesWildcard } from "../../../archive/wildcard.ts";
import { DamagedEntry, readZip, type ZipEntry } from "../../../archive/zip_format.ts";
import { concatBytes } from "../../../bytes.ts";
import { FsError } from "../../../fs/file_system.ts";
import { timeOf } from "../../../fs/times.ts";
import { type Options, parseOptions } from "./options.ts";
import { bytesOf, type ProgramOutput } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { type Invocation, output, readWhole, type Tools } from "./tools.ts";

/** Exit codes of Info-ZIP. */
const DAMAGED = 9;
const NOT_MATCHED = 11;

const FILE_MODE = 0o644;

export function runUnzip(tools: Tools, invocation: Invocation): ProgramOutput {
  try {
    return unzip(tools, invocation);
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    throw new ProgramError(`the archive is damaged: ${error.message}`, DAMAGED);
  }
}

/** Names after `-x`, up to the next option, are left out. */
function withoutExcluded(args: readonly string[]) {
  const others: string[] = [];
  const excluded: string[] = [];
  let excludes = false;
  for (const arg of args) {
    if (arg === "-x") excludes = true;
    else if (excludes && !arg.startsWith("-")) excluded.push(arg);
    else {
      excludes = false;
      others.push(arg);
    }
  }
  return { args: others, excluded };
}

function unzip(tools: Tools, invocation: Invocation): ProgramOutput {
  const { fs, stop } = tools;
  const { args, excluded } = withoutExcluded(invocation.args);
  const options = parseOptions(args, { flags: [..."lpcoqnvtjuCZ12"], valued: ["d"] });
  const [archive, ...wanted] = options.operands;
  if (archive === undefined) throw new ProgramError("missing archive", 10);
  const bytes = open(tools, invocation, archive);
  const matches = (pattern: string, name: string) => {
    stop.check();
    return options.has("C")
      ? matchesWildcard(pattern.toLowerCase(), name.toLowerCase())
      : matchesWildcard(pattern, name);
  };
  const select = (name: string) =>
    (wanted.length === 0 || wanted.some((pattern) => matches(pattern, name))) &&
    !excluded.some((pattern) => matches(pattern, name));
  const entries = readZip(bytes, stop, fs.quota.maxBytes);
  if (invocation.name === "zipinfo" || options.has("Z", "1", "2")) {
    if (!options.has("1", "2")) throw new ProgramError("of zipinfo there is only -1", 10);
    const names = [...entries].filter(({ name }) => select(name));
    return { stdout: names.map(({ name }) => `${name}\n`).join("") };
  }
  if (options.has("l")) return list(entries, archive, select, options.has("q"));
  if (options.has("v")) throw new ProgramError("there is no -v: -l lists an archive", 10);
  return extract(tools, invocation, options, { entries, archive, wanted, select });
}

function extract(
  tools: Tools,
  invocation: Invocation,
  options: Options,
  { entries, archive, wanted, select }: {
    readonly entries: Iterable<ZipEntry>;
    readonly archive: string;
    readonly wanted: readonly string[];
    readonly select: (name: string) => boolean;
  },
): ProgramOutput {
  const { fs, stop } = tools;
  const root = invocation.path(options.value("d") ?? ".");
  if (options.has("d")) fs.mkdir(root, { recursive: true });
  const printed = output();
  let stdout = options.has("p", "q") ? "" : `Archive:  ${archive}\n`;
  let stderr = "";
  let found = false;
  for (const entry of entries) {
    if (!select(entry.name)) continue;
    found = true;
    stop.checkNow();
    if (options.has("p", "c", "t")) {
      try {
        const bytes = entry.read();
        if (!options.has("p", "c")) continue;
        const head = `${entry.size === 0 ? " extracting" : "  inflating"}: ${entry.name.padEnd(22)}  \n`;
        const named = options.has("c") && !options.has("p");
        if (named) printed.add(bytesOf(head));
        printed.add(bytes);
        if (named) printed.add(bytesOf("\n"));
      } catch (error) {
        if (!(error instanceof DamagedEntry)) throw error;
        stderr += `error:  ${entry.name}: ${error.message}\n`;
      }
      continue;
    }
    const name = options.has("j") ? entry.name.split("/").at(-1)! : entry.name;
    if (name === "") continue;
    try {
      const path = placeFor(fs, root, name);
      if (name.endsWith("/")) {
        if (!options.has("q") && !fs.exists(path)) stdout += `   creating: ${name}\n`;
        makeDirectory(fs, path, name);
        continue;
      }
      if (fs.exists(path) && (options.has("n") || options.has("u") && !isNewer(tools, path, entry))) continue;
      makeFile(fs, path, entry.read(), entry.mode ?? FILE_MODE);
      fs.setTimes(path, { mtime: timeOf(entry.modified) });
      if (!options.has("q")) stdout += `${entry.size === 0 ? " extracting" : "  inflating"}: ${name}\n`;
    } catch (error) {
      if (error instanceof FsError) stderr += `error:  cannot create ${name}: ${error.message}\n`;
      else if (error instanceof DamagedEntry) stderr += `error:  ${name}: ${error.message}\n`;
      else if (error instanceof UnsafeEntry) stderr += `error:  ${error.message}\n`;
      else throw error;
      if (error instanceof FsError && error.code === "ENOSPC") break;
    }
  }
  if (!found && wanted.length > 0) {
    stderr += wanted.map((name) => `caution: filename not matched:  ${name}\n`).join("");
    return { stdout, stderr, exitCode: NOT_MATCHED };
  }
  const exitCode = stderr === "" ? 0 : 2;
  if (options.has("p")) return { stdout: printed.bytes(stop), stderr, exitCode };
  if (options.has("c")) {
    return { stdout: concatBytes([bytesOf(stdout), printed.bytes(stop)]), stderr, exitCode };
  }
  if (options.has("t")) {
    stdout += exitCode === 0
      ? `No errors detected in compressed data of ${archive}.\n`
      : `At least one error was detected in ${archive}.\n`;
  }
  return { stdout, stderr, exitCode };
}

function isNewer({ fs }: Tools, path: string, entry: ZipEntry): boolean {
  return entry.modified > Number(fs.stat(path).mtime / 1_000_000n);
}

function list(
  entries: Iterable<ZipEntry>,
  archive: string,
  select: (name: string) => boolean,
  quiet: boolean,
): ProgramOutput {
  const rows = [...entries].filter(({ name }) => select(name));
  const line = ({ size, modified, name }: ZipEntry) => {
    const [date, time] = new Date(modified).toISOString().split("T");
    return `${String(size).padStart(9)}  ${date} ${time!.slice(0, 5)}   ${name}\n`;
  };
  const total = String(rows.reduce((sum, row) => sum + row.size, 0)).padStart(9);
  const files = `${rows.length} file${rows.length === 1 ? "" : "s"}`;
  const head = "  Length      Date    Time    Name\n---------  ---------- -----   ----\n";
  return {
    stdout: `${quiet ? "" : `Archive:  ${archive}\n`}${head}${rows.map(line).join("")}` +
      `---------                     -------\n${total}                     ${files}\n`,
  };
}

function open(tools: Tools, invocation: Invocation, archive: string): Uint8Array {
  for (const name of [archive, `${archive}.zip`]) {
    const path = invocation.path(name);
    if (tools.fs.exists(path)) return readWhole(tools, path);
  }
  throw new ProgramError(`cannot find or open ${archive}, ${archive}.zip.`, DAMAGED);
}
