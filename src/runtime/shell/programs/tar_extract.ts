/** What `tar` reads: lists of archives, and what is in them. */

import { DamagedArchive } from "../../../archive/damaged.ts";
import { makeDirectory, makeFile, placeFor, UnsafeEntry } from "../../../archive/extract.ts";
import { readTar, type TarEntry } from "../../../archive/tar_format.ts";
import { matchesWildcard } from "../../../archive/wildcard.ts";
import { FsError } from "../../../fs/file_system.ts";
import { timeOf } from "../../../fs/times.ts";
import { withoutSlashes } from "./files.ts";
import type { ProgramOutput } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import type { Options } from "./options.ts";
import { decompressed } from "./tar_compression.ts";
import { notFound, type Order, reasonOf, renamer } from "./tar_order.ts";
import { type Invocation, output, readWhole, type Tools } from "./tools.ts";

/** The archive of an order, unpacked. `complaints`: what is wrong with its compression. */
export function archiveIn(
  tools: Tools,
  invocation: Invocation,
  { file, options }: Order,
): { readonly archive: Uint8Array; readonly complaints: string[] } {
  const complaints: string[] = [];
  let bytes: Uint8Array;
  try {
    bytes = file === "-" ? invocation.stdin : readWhole(tools, invocation.path(file));
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    throw new ProgramError(`${file}: Cannot open: ${reasonOf(error)}`, 2);
  }
  return { archive: decompressed(tools, options, bytes, complaints), complaints };
}

export function list(tools: Tools, invocation: Invocation, order: Order): ProgramOutput {
  const lines: string[] = [];
  const verbose = order.options.has("v", "verbose");
  return through(tools, invocation, order, (entry) => {
    lines.push(`${verbose ? long(entry) : entry.name}\n`);
    return undefined;
  }, () => lines.join(""));
}

export function extract(tools: Tools, invocation: Invocation, order: Order): ProgramOutput {
  const { fs, stop } = tools;
  const { options, root } = order;
  const strip = Number(options.value("strip-components") ?? 0);
  const rename = renamer(tools, order);
  const top = topLevel(options);
  const toStdout = options.has("O", "to-stdout");
  const verbose = options.has("v", "verbose");
  const printed = output();
  let shown = "";
  const one = (entry: TarEntry): string | undefined => {
    const parts = rename(entry.name).split("/").filter((part) => part !== "").slice(strip);
    const name = [...top, ...parts].filter((part) => part !== ".").join("/");
    if (parts.length === 0 && strip > 0) return undefined;
    if (verbose) shown += `${entry.name}\n`;
    if (toStdout) {
      printed.add(entry.bytes);
      return undefined;
    }
    try {
      const path = placeFor(fs, root, name);
      if (entry.type === "directory") makeDirectory(fs, path, name);
      else if (entry.type === "file") {
        if (options.has("skip-old-files") && fs.exists(path)) return undefined;
        if (options.has("k", "keep-old-files") && fs.exists(path)) throw new FsError("EEXIST", path);
        makeFile(fs, path, entry.bytes, entry.mode);
      } else if (entry.type !== "other") {
        fs.rm(path, { force: true });
        if (entry.type === "symlink") fs.symlink(entry.target, path);
        else fs.link(placeFor(fs, root, entry.target), path);
      }
      if (entry.type === "file" && !options.has("m")) {
        fs.setTimes(path, { mtime: timeOf(entry.mtime * 1000) });
      }
      return undefined;
    } catch (error) {
      if (!(error instanceof FsError) && !(error instanceof UnsafeEntry)) throw error;
      if (error instanceof FsError && error.code === "ENOSPC") {
        throw new ProgramError(`${entry.name}: ${reasonOf(error)}`, 2);
      }
      return error instanceof FsError ? `${entry.name}: ${reasonOf(error)}` : error.message;
    }
  };
  return through(tools, invocation, order, one, () => toStdout ? printed.bytes(stop) : shown);
}

/** The directory that all is put into, if it is to be one. */
function topLevel(options: Options): readonly string[] {
  return options.value("one-top-level")?.split("/") ?? [];
}

/** Does something with each entry that is wanted. @param each Gives what is wrong. */
function through(
  tools: Tools,
  invocation: Invocation,
  order: Order,
  each: (entry: TarEntry) => string | undefined,
  stdout: () => string | Uint8Array,
): ProgramOutput {
  const { archive, complaints } = archiveIn(tools, invocation, order);
  if (archive.length === 0 && complaints.length === 0) {
    complaints.push("tar: This does not look like a tar archive");
  }
  const selection = new Selection(tools, order);
  let stderr = "";
  for (const entry of untilDamaged(archive, complaints)) {
    tools.stop.checkNow();
    if (!selection.has(entry.name)) continue;
    const problem = each(entry);
    if (problem !== undefined) stderr += `tar: ${problem}\n`;
  }
  const missing = selection.missing();
  if (complaints.length > 0) {
    stderr += [...complaints, "tar: Error is not recoverable: exiting now"].map((line) => `${line}\n`).join(
      "",
    );
  } else if (missing.length > 0) stderr += notFound(missing);
  else if (stderr !== "") stderr += "tar: Exiting with failure status due to previous errors\n";
  return { stdout: stdout(), stderr, exitCode: stderr === "" ? 0 : 2 };
}

/** The entries up to where the archive is damaged, if it is. @param complaints Gets why. */
export function* untilDamaged(archive: Uint8Array, complaints: string[]): Generator<TarEntry> {
  try {
    yield* readTar(archive);
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    complaints.push(`tar: ${error.message}`);
  }
}

/** Whether an entry is what an operand names, or below it. */
export function isOf(name: string, operand: string): boolean {
  return name === operand || name.startsWith(`${operand}/`);
}

/** Which entries the operands name: these, and what is below them. */
class Selection {
  readonly #excluded: (name: string) => boolean;
  readonly #operands: readonly string[];
  readonly #seen = new Set<string>();
  readonly #matches: (name: string, operand: string) => boolean;

  constructor(tools: Tools, { names, excluded, options }: Order) {
    this.#excluded = excluder(tools, excluded);
    this.#operands = names.map(withoutSlashes);
    this.#matches = options.has("wildcards")
      ? (name, operand) => isOf(name, operand) || matchesWildcard(operand, name)
      : isOf;
  }

  has(name: string): boolean {
    const plain = withoutSlashes(name);
    if (this.#operands.length === 0) return !this.#excluded(plain);
    const matching = this.#operands.filter((operand) => this.#matches(plain, operand));
    for (const operand of matching) this.#seen.add(operand);
    return matching.length > 0 && !this.#excluded(plain);
  }

  /** Operands that nothing was found for. */
  missing(): readonly string[] {
    return this.#operands.filter((operand) => !this.#seen.has(operand));
  }
}

/** Tells whether patterns leave a name out: by all of it, by what it ends with after a slash, or by what is above it. */
export function excluder({ stop }: Tools, patterns: readonly string[]): (name: string) => boolean {
  return (name) => {
    if (patterns.length === 0) return false;
    for (const part of partsOf(withoutSlashes(name).split("/"))) {
      for (const pattern of patterns) {
        stop.check();
        if (matchesWildcard(withoutSlashes(pattern), part)) return true;
      }
    }
    return false;
  };
}

/** What is between any two slashes. One after the other: those of a long name are too many to hold. */
function* partsOf(names: readonly string[]): Generator<string> {
  for (let from = 0; from < names.length; from++) {
    for (let end = from + 1; end <= names.length; end++) yield names.slice(from, end).join("/");
  }
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
