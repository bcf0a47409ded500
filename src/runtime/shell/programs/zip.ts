/** `zip` and `unzip`. */

import { Zip, ZipDeflate, ZipPassThrough } from "fflate/browser";
import { type FileSystem, FsError } from "../../../fs/file_system.ts";
import { makeDirectory, makeFile, placeFor, UnsafeEntry } from "../../../archive/extract.ts";
import { Collector } from "../../../archive/collector.ts";
import { DamagedArchive } from "../../../archive/damaged.ts";
import { pieces } from "../../../archive/pieces.ts";
import { walk } from "../../../archive/walk.ts";
import { matchesWildcard } from "../../../archive/wildcard.ts";
import { DamagedEntry, readZip, type ZipEntry } from "../../../archive/zip_format.ts";
import { withoutSlashes } from "./files.ts";
import { parseOptions } from "./options.ts";
import { ProgramError, type ProgramOutput } from "./mod.ts";
import { Files, type Invocation, output, readWhole, type Tools } from "./tools.ts";

/** Exit codes of Info-ZIP. */
const NOTHING_TO_DO = 12;
const DAMAGED = 9;
const NOT_MATCHED = 11;

export function runZip(tools: Tools, invocation: Invocation): ProgramOutput {
  return unlessDamaged(() => (invocation.name === "zip" ? zip : unzip)(tools, invocation));
}

/** @throws {ProgramError} if an archive is damaged. */
function unlessDamaged(run: () => ProgramOutput): ProgramOutput {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    throw new ProgramError(`the archive is damaged: ${error.message}`, DAMAGED);
  }
}

function zip(tools: Tools, invocation: Invocation): ProgramOutput {
  const { fs, stop } = tools;
  const options = parseOptions(invocation.args, { flags: [..."rqjy9876543210", "recurse-paths", "quiet"] });
  const [archive, ...operands] = options.operands;
  if (archive === undefined || operands.length === 0) throw new ProgramError("Nothing to do!", NOTHING_TO_DO);
  const target = archive === "-"
    ? undefined
    : invocation.path(/\.\w+$/.test(archive) ? archive : `${archive}.zip`);
  const recursive = options.has("r", "recurse-paths");
  const level = Number(options.given.findLast(([name]) => /^\d$/.test(name))?.[0] ?? 6);

  const contents = new Map<string, Uint8Array>();
  if (target !== undefined && fs.exists(target)) {
    for (const entry of readZip(readWhole(tools, target), stop, fs.quota.maxBytes)) {
      contents.set(entry.name, entry.read());
    }
  }
  const files = new Files(fs, fs.quota.maxBytes, stop);
  const lines: string[] = [];
  for (const operand of operands) {
    const path = invocation.path(operand);
    if (!fs.exists(path)) throw new ProgramError(`Nothing to do! (${operand})`, NOTHING_TO_DO);
    const name = withoutSlashes(operand).replace(/^\/+/, "").replace(/^(\.\.?\/)+/, "") || ".";
    for (const found of recursive ? walk(fs, path, name, stop) : walkOne(fs, path, name)) {
      if (found.path === target || found.name === ".") continue;
      const directory = found.type === "directory";
      if (directory && options.has("j")) continue;
      const plain = options.has("j") ? found.name.split("/").at(-1)! : found.name.replace(/^\.\//, "");
      const entry = directory ? `${plain}/` : plain;
      lines.push(`${contents.has(entry) ? "updating" : "  adding"}: ${entry}`);
      contents.set(entry, directory ? new Uint8Array(0) : files.read(found.path));
    }
  }
  const collector = new Collector(fs.quota.maxBytes);
  const stream = new Zip((error, piece) => {
    if (error) throw error;
    collector.add(piece);
  });
  for (const [name, bytes] of contents) {
    const file = level === 0 || bytes.length === 0
      ? new ZipPassThrough(name)
      : new ZipDeflate(name, { level: level as 6 });
    stream.add(file);
    for (const [piece, last] of pieces(bytes, stop)) file.push(piece, last);
  }
  stream.end();
  if (target === undefined) return { stdout: collector.bytes(stop) };
  fs.writeFile(target, collector.bytes(stop));
  return { stdout: options.has("q", "quiet") ? "" : lines.map((line) => `${line}\n`).join("") };
}

function walkOne(fs: FileSystem, path: string, name: string) {
  return [{ path, name, type: fs.stat(path).type }];
}

function unzip(tools: Tools, invocation: Invocation): ProgramOutput {
  const { fs, stop } = tools;
  const options = parseOptions(invocation.args, { flags: [..."lpoqnvtj"], valued: ["d", "x"] });
  const [archive, ...wanted] = options.operands;
  if (archive === undefined) throw new ProgramError("missing archive", 10);
  const bytes = open(tools, invocation, archive);
  const select = (name: string) =>
    wanted.length === 0 || wanted.some((pattern) => {
      stop.check();
      return matchesWildcard(pattern, name);
    });
  const entries = readZip(bytes, stop, fs.quota.maxBytes);
  if (options.has("l", "v")) return list(entries, archive, select);

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
    if (options.has("p", "t")) {
      try {
        const bytes = entry.read();
        if (options.has("p")) printed.add(bytes);
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
      if (name.endsWith("/")) makeDirectory(fs, path, name);
      else if (!options.has("n") || !fs.exists(path)) makeFile(fs, path, entry.read(), 0o644);
      else continue;
      if (!options.has("q")) {
        stdout += name.endsWith("/") ? `   creating: ${name}\n` : `  inflating: ${name}\n`;
      }
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
  if (options.has("t")) {
    stdout += exitCode === 0
      ? `No errors detected in compressed data of ${archive}.\n`
      : `At least one error was detected in ${archive}.\n`;
  }
  return { stdout, stderr, exitCode };
}

function list(
  entries: Iterable<ZipEntry>,
  archive: string,
  select: (name: string) => boolean,
): ProgramOutput {
  const rows = [...entries].filter(({ name }) => select(name));
  const line = (size: number, name: string) => `${String(size).padStart(9)}  ${name}\n`;
  const total = rows.reduce((sum, row) => sum + row.size, 0);
  const rule = "---------  -------\n";
  return {
    stdout: `Archive:  ${archive}\n   Length  Name\n${rule}` +
      rows.map(({ name, size }) => line(size, name)).join("") +
      rule + line(total, `${rows.length} file${rows.length === 1 ? "" : "s"}`),
  };
}

function open(tools: Tools, invocation: Invocation, archive: string): Uint8Array {
  for (const name of [archive, `${archive}.zip`]) {
    const path = invocation.path(name);
    if (tools.fs.exists(path)) return readWhole(tools, path);
  }
  throw new ProgramError(`cannot find or open ${archive}, ${archive}.zip.`, DAMAGED);
}
