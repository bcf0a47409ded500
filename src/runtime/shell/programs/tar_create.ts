/** What `tar` writes: archives that are new, and those that are added to or lose something. */

import { Collector } from "../../../archive/collector.ts";
import { endOfTar, tarBlocks, type TarEntry } from "../../../archive/tar_format.ts";
import { walk } from "../../../archive/walk.ts";
import { FsError } from "../../../fs/file_system.ts";
import { normalized, withoutSlashes } from "./files.ts";
import type { ProgramOutput } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import type { Options } from "./options.ts";
import { compressed } from "./tar_compression.ts";
import { archiveIn, excluder, isOf, untilDamaged } from "./tar_extract.ts";
import { notFound, type Order, reasonOf, renamer } from "./tar_order.ts";
import { type Invocation, readWhole, type Tools } from "./tools.ts";

const BLOCK = 512;
const USUAL_BLOCKS = 20;

export function create(tools: Tools, invocation: Invocation, order: Order): ProgramOutput {
  if (order.names.length === 0 && !order.options.has("T", "files-from")) {
    throw new ProgramError("Cowardly refusing to create an empty archive", 2);
  }
  return written(tools, invocation, order, [], () => true);
}

/** @param newer Whether only what is newer than in the archive is added. */
export function add(tools: Tools, invocation: Invocation, order: Order, newer: boolean): ProgramOutput {
  const there = order.file !== "-" && tools.fs.exists(invocation.path(order.file));
  const entries = there ? entriesOf(tools, invocation, order) : [];
  const times = new Map(entries.map(({ name, mtime }) => [withoutSlashes(name), mtime]));
  return written(
    tools,
    invocation,
    order,
    entries,
    ({ name, mtime }) => !newer || mtime > (times.get(withoutSlashes(name)) ?? -Infinity),
  );
}

export function remove(tools: Tools, invocation: Invocation, order: Order): ProgramOutput {
  const all = entriesOf(tools, invocation, order);
  const names = order.names.map(withoutSlashes);
  const kept = all.filter(({ name }) => !names.some((one) => isOf(withoutSlashes(name), one)));
  const missing = names.filter((one) => !all.some(({ name }) => isOf(withoutSlashes(name), one)));
  const done = written(tools, invocation, { ...order, names: [] }, kept, () => true);
  return missing.length === 0 ? done : { ...done, stderr: notFound(missing), exitCode: 2 };
}

/** What is in an archive that is to be written again. */
function entriesOf(tools: Tools, invocation: Invocation, order: Order): TarEntry[] {
  const { archive, complaints } = archiveIn(tools, invocation, order);
  const entries = [...untilDamaged(archive, complaints)];
  const [complaint] = complaints;
  if (complaint !== undefined) throw new ProgramError(complaint.replace(/^tar: /, ""), 2);
  if (entries.some(({ type }) => type === "other")) {
    throw new ProgramError("the archive has entries that can't be written here", 2);
  }
  return entries;
}

/** Writes entries, and those of the operands. */
function written(
  tools: Tools,
  invocation: Invocation,
  order: Order,
  entries: readonly TarEntry[],
  wanted: (entry: Pick<TarEntry, "name" | "mtime">) => boolean,
): ProgramOutput {
  const { fs, stop } = tools;
  const { options, file, root, names: operands, excluded } = order;
  const rename = renamer(tools, order);
  const changed = changeTime(options);
  const record = recordBytes(options);
  const archive = new Collector(fs.quota.maxBytes);
  const follow = options.has("h", "dereference");
  const leavesOut = excluder(tools, excluded);
  const names: string[] = [];
  const added: string[] = [];
  let stderr = "";
  for (const entry of entries) for (const block of tarBlocks(entry)) archive.add(block);
  for (const operand of operands) {
    const path = normalized(root, operand);
    const name = withoutSlashes(operand.replace(/^\/+/, "")) || ".";
    try {
      const below = options.has("no-recursion")
        ? [{ path, name, type: fs.stat(path, { follow: false }).type }]
        : walk(fs, path, name, stop);
      for (const found of below) {
        if (found.type === "device" || leavesOut(found.name)) continue;
        // The archive that is being written is not a part of itself.
        if (file !== "-" && found.path === invocation.path(file)) continue;
        const { mode, mtime, type } = fs.stat(found.path, { follow });
        if (type === "device" || (type === "directory" && found.type !== "directory")) continue;
        const entry: TarEntry = {
          name: rename(type === "directory" ? `${found.name}/` : found.name),
          type,
          mode,
          mtime: changed ?? Number(mtime / 1_000_000_000n),
          target: type === "symlink" ? fs.readlink(found.path) : "",
          bytes: type === "file" ? readWhole(tools, found.path) : new Uint8Array(0),
        };
        if (!wanted(entry)) continue;
        for (const block of tarBlocks(entry)) archive.add(block);
        names.push(entry.name);
        added.push(found.path);
      }
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      stderr += `tar: ${operand}: Cannot stat: ${reasonOf(error)}\n`;
    }
  }
  archive.add(endOfTar());
  archive.add(new Uint8Array((record - archive.length % record) % record));
  const finish = () => {
    if (!options.has("remove-files") || stderr !== "") return;
    // What is in a directory comes after it.
    for (const path of added.toReversed()) {
      if (fs.stat(path, { follow: false }).type !== "directory") fs.unlink(path);
      else if (fs.readdir(path).length === 0) fs.rmdir(path);
    }
  };
  const bytes = compressed(tools, options, file, archive.bytes(stop));
  if (stderr !== "") stderr += "tar: Exiting with failure status due to previous errors\n";
  const exitCode = stderr === "" ? 0 : 2;
  if (options.has("totals")) stderr += `Total bytes written: ${archive.length}\n`;
  const shown = options.has("v", "verbose") ? names.map((name) => `${name}\n`).join("") : "";
  if (file === "-") {
    finish();
    return { stdout: bytes, stderr: shown + stderr, exitCode };
  }
  fs.writeFile(invocation.path(file), bytes);
  finish();
  return { stdout: shown, stderr, exitCode };
}

/** What an archive is a multiple of: as tapes have it. @throws {ProgramError} */
function recordBytes(options: Options): number {
  const blocks = options.value("b", "blocking-factor") ?? `${USUAL_BLOCKS}`;
  if (!/^[1-9]\d{0,3}$/.test(blocks)) throw new ProgramError(`${blocks}: Invalid blocking factor`, 2);
  return Number(blocks) * BLOCK;
}

/** When files are said to have changed, seconds since 1970, if that is said. @throws {ProgramError} */
function changeTime(options: Options): number | undefined {
  const given = options.value("mtime");
  if (given === undefined) return undefined;
  const [, seconds] = /^@(-?\d+)$/.exec(given) ?? [];
  // Without an hour a date is one of UTC; with one it is one of here, unless that is told.
  const zoned = /(?:Z|UTC|GMT|[+-]\d\d:?\d\d)$/.test(given) || /^\d{4}-\d\d-\d\d$/.test(given)
    ? given
    : `${given}Z`;
  const time = seconds === undefined
    ? Date.parse(zoned.replace(/^(\d{4}-\d\d-\d\d) /, "$1T").replace(/ (?:UTC|GMT)$/, "Z")) / 1000
    : Number(seconds);
  if (!Number.isFinite(time)) throw new ProgramError(`invalid date: ${given}`, 2);
  return Math.floor(time);
}
