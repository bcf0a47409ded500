/** `tar`: create, list and extract, plain or gzipped. */

import { FsError } from "../../../fs/file_system.ts";
import { makeDirectory, makeFile, placeFor, UnsafeEntry } from "../../../archive/extract.ts";
import { Collector } from "../../../archive/collector.ts";
import { DamagedArchive } from "../../../archive/damaged.ts";
import { gunzip, gzip, isGzip } from "../../../archive/gzip.ts";
import { endOfTar, readTar, tarBlocks, type TarEntry } from "../../../archive/tar_format.ts";
import { walk } from "../../../archive/walk.ts";
import { matchesWildcard } from "../../../archive/wildcard.ts";
import { timeOf } from "../../../fs/times.ts";
import { type Options, parseOptions } from "./options.ts";
import { normalized, withoutSlashes } from "./files.ts";
import { ProgramError, type ProgramOutput } from "./mod.ts";
import { type Invocation, output, readWhole, type Tools } from "./tools.ts";

const FLAGS = [
  ..."cxtzvOpkamo".split(""),
  ..."create extract get list gzip gunzip verbose to-stdout keep-old-files auto-compress".split(" "),
  ..."preserve-permissions no-same-owner no-same-permissions".split(" "),
];
const VALUED = ["f", "C", "file", "directory", "exclude", "strip-components", "transform", "X", "T"];

export function tar(tools: Tools, invocation: Invocation): ProgramOutput {
  const options = parseOptions(invocation.args, { flags: FLAGS, valued: VALUED, bundled: true });
  const file = options.value("f", "file") ?? "-";
  const root = invocation.path(options.value("C", "directory") ?? ".");
  if (options.has("c", "create")) return create(tools, invocation, options, { file, root });
  const extracting = options.has("x", "extract", "get");
  if (!extracting && !options.has("t", "list")) {
    throw new ProgramError("You must specify one of the '-ctx' options", 2);
  }
  const complaints: string[] = [];
  const entries = untilDamaged(unpacked(tools, invocation, file, complaints), complaints);
  const wanted = selection(tools, options);
  const done = extracting
    ? extract(tools, entries, options, { root, wanted })
    : list(tools, entries, options, wanted);
  if (complaints.length === 0) return done;
  const lines = [...complaints, "tar: Error is not recoverable: exiting now"].map((line) => `${line}\n`);
  return { ...done, stderr: `${done.stderr ?? ""}${lines.join("")}`, exitCode: 2 };
}

/** The entries up to where the archive is damaged, if it is. @param complaints Gets why. */
function* untilDamaged(archive: Uint8Array, complaints: string[]): Generator<TarEntry> {
  try {
    yield* readTar(archive);
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    complaints.push(`tar: ${error.message}`);
  }
}

function create(
  tools: Tools,
  invocation: Invocation,
  options: Options,
  { file, root }: { readonly file: string; readonly root: string },
): ProgramOutput {
  if (options.operands.length === 0) {
    throw new ProgramError("Cowardly refusing to create an empty archive", 2);
  }
  const { fs, stop } = tools;
  const archive = new Collector(fs.quota.maxBytes);
  const excluded = excluder(tools, options);
  const names: string[] = [];
  let stderr = "";
  for (const operand of options.operands) {
    const path = normalized(root, operand);
    const name = withoutSlashes(operand.replace(/^\/+/, "")) || ".";
    try {
      for (const found of walk(fs, path, name, stop)) {
        if (found.type === "device" || excluded(found.name)) continue;
        // The archive that is being written is not a part of itself.
        if (file !== "-" && found.path === invocation.path(file)) continue;
        const { mode, mtime } = fs.stat(found.path, { follow: false });
        const directory = found.type === "directory";
        const entry: TarEntry = {
          name: directory ? `${found.name}/` : found.name,
          type: found.type,
          mode,
          mtime: Number(mtime / 1_000_000_000n),
          target: found.type === "symlink" ? fs.readlink(found.path) : "",
          bytes: found.type === "file" ? readWhole(tools, found.path) : new Uint8Array(0),
        };
        for (const block of tarBlocks(entry)) archive.add(block);
        names.push(entry.name);
      }
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      stderr += `tar: ${operand}: Cannot stat: ${reasonOf(error)}\n`;
    }
  }
  archive.add(endOfTar());
  const compressed = options.has("z", "gzip") ||
    options.has("a", "auto-compress") && /\.(tgz|gz)$/.test(file);
  const whole = archive.bytes(stop);
  const bytes = compressed ? gzip(whole, stop) : whole;
  if (stderr !== "") stderr += "tar: Exiting with failure status due to previous errors\n";
  const exitCode = stderr === "" ? 0 : 2;
  const shown = options.has("v", "verbose") ? names.map((name) => `${name}\n`).join("") : "";
  if (file === "-") return { stdout: bytes, stderr: shown + stderr, exitCode };
  fs.writeFile(invocation.path(file), bytes);
  return { stdout: shown, stderr, exitCode };
}

function list(
  { stop }: Tools,
  entries: Iterable<TarEntry>,
  options: Options,
  wanted: (name: string) => boolean,
): ProgramOutput {
  const lines: string[] = [];
  for (const entry of entries) {
    stop.checkNow();
    if (wanted(entry.name)) lines.push(options.has("v", "verbose") ? long(entry) : entry.name);
  }
  return { stdout: lines.map((line) => `${line}\n`).join("") };
}

function extract(
  { fs, stop }: Tools,
  entries: Iterable<TarEntry>,
  options: Options,
  { root, wanted }: { readonly root: string; readonly wanted: (name: string) => boolean },
): ProgramOutput {
  const strip = Number(options.value("strip-components") ?? 0);
  const toStdout = options.has("O", "to-stdout");
  const printed = output();
  let stdout = "";
  let stderr = "";
  for (const entry of entries) {
    stop.checkNow();
    if (!wanted(entry.name)) continue;
    const name = entry.name.split("/").filter((part) => part !== "" && part !== ".").slice(strip).join("/");
    if (name === "" && strip > 0) continue;
    if (options.has("v", "verbose")) stdout += `${entry.name}\n`;
    if (toStdout) {
      printed.add(entry.bytes);
      continue;
    }
    try {
      const path = placeFor(fs, root, name);
      if (entry.type === "directory") makeDirectory(fs, path, name);
      else if (entry.type === "file") {
        if (options.has("k", "keep-old-files") && fs.exists(path)) throw new FsError("EEXIST", path);
        makeFile(fs, path, entry.bytes, entry.mode);
      } else if (entry.type !== "other") {
        fs.rm(path, { force: true });
        if (entry.type === "symlink") fs.symlink(entry.target, path);
        else fs.link(placeFor(fs, root, entry.target), path);
      }
      if (entry.type === "file") fs.setTimes(path, { mtime: timeOf(entry.mtime * 1000) });
    } catch (error) {
      if (!(error instanceof FsError) && !(error instanceof UnsafeEntry)) throw error;
      stderr += `tar: ${error instanceof FsError ? `${entry.name}: ${reasonOf(error)}` : error.message}\n`;
      if (error instanceof FsError && error.code === "ENOSPC") break;
    }
  }
  if (stderr !== "") stderr += "tar: Exiting with failure status due to previous errors\n";
  return { stdout: toStdout ? printed.bytes(stop) : stdout, stderr, exitCode: stderr === "" ? 0 : 2 };
}

/** @param complaints Gets what is wrong with the compression. */
function unpacked(
  tools: Tools,
  invocation: Invocation,
  file: string,
  complaints: string[],
): Uint8Array {
  const { fs, stop } = tools;
  let bytes: Uint8Array;
  try {
    bytes = file === "-" ? invocation.stdin : readWhole(tools, invocation.path(file));
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    throw new ProgramError(`${file}: Cannot open: ${reasonOf(error)}`, 2);
  }
  if (!isGzip(bytes)) return bytes;
  try {
    const unpacked = gunzip(bytes, stop, fs.quota.maxBytes);
    if (unpacked.trailingGarbage) {
      complaints.push("gzip: stdin: decompression OK, trailing garbage ignored");
    }
    return unpacked.bytes;
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    throw new ProgramError(`gzip: stdin: ${error.message}`, 2);
  }
}

/** Which entries the operands name: these, and what is below them. */
function selection(tools: Tools, options: Options): (name: string) => boolean {
  const operands = options.operands.map(withoutSlashes);
  const excluded = excluder(tools, options);
  return (name) => {
    const plain = withoutSlashes(name);
    if (excluded(plain)) return false;
    return operands.length === 0 ||
      operands.some((operand) => plain === operand || plain.startsWith(`${operand}/`));
  };
}

function excluder({ stop }: Tools, options: Options): (name: string) => boolean {
  const patterns = options.given.filter(([name]) => name === "exclude").map(([, value]) => `${value}`);
  return (name) =>
    patterns.some((pattern) => {
      stop.check();
      return [name, name.split("/").at(-1)!].some((each) => matchesWildcard(pattern, each));
    });
}

function long({ type, mode, bytes, mtime, name, target }: TarEntry): string {
  const kind = type === "directory" ? "d" : type === "symlink" ? "l" : "-";
  const bits = [..."rwxrwxrwx"].map((letter, i) => mode >> (8 - i) & 1 ? letter : "-").join("");
  const date = new Date(Number(timeOf(mtime * 1000) / 1_000_000n)).toISOString().slice(0, 16).replace(
    "T",
    " ",
  );
  const link = type === "symlink" ? ` -> ${target}` : type === "link" ? ` link to ${target}` : "";
  return `${kind}${bits} user/user ${String(bytes.length).padStart(9)} ${date} ${name}${link}`;
}

function reasonOf(error: FsError): string {
  const reason = error.message.replace(/^[A-Z]+: /, "").replace(/, '.*/s, "");
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
