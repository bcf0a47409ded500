/** `gzip`, `gunzip`, `zcat`. */

import { FsError } from "../../../fs/file_system.ts";
import { TooLarge } from "../../../archive/collector.ts";
import { DamagedArchive } from "../../../archive/damaged.ts";
import { gunzip, gzip } from "../../../archive/gzip.ts";
import { type Options, parseOptions } from "./options.ts";
import type { ProgramOutput } from "./mod.ts";
import { OUTPUT_MAX_BYTES } from "./process.ts";
import { type Invocation, output, readWhole, type Tools } from "./tools.ts";

const FLAGS = [
  ..."cdfkqvn123456789t".split(""),
  ..."stdout decompress force keep best fast quiet test".split(" "),
];

/** Exit codes of gzip. */
const FAILED = 1;
const WARNED = 2;

export function runGzip(tools: Tools, invocation: Invocation): ProgramOutput {
  const { name } = invocation;
  const options = parseOptions(invocation.args, { flags: FLAGS });
  const decompress = name !== "gzip" || options.has("d", "decompress", "t", "test");
  const level = levelOf(options);
  const toStdout = name === "zcat" || options.has("c", "stdout");
  const most = toStdout ? Math.min(tools.fs.quota.maxBytes, OUTPUT_MAX_BYTES) : tools.fs.quota.maxBytes;
  const operands = options.operands.length === 0 ? ["-"] : options.operands;
  const printed = output();
  let stderr = "";
  let exitCode = 0;
  for (const operand of operands) {
    const shown = operand === "-" ? "stdin" : operand;
    const convert = (bytes: Uint8Array, filename?: string) => {
      if (!decompress) return gzip(bytes, tools.stop, { level, ...(filename !== undefined && { filename }) });
      const unpacked = gunzip(bytes, tools.stop, most);
      if (unpacked.trailingGarbage) {
        stderr += `${name}: ${shown}: decompression OK, trailing garbage ignored\n`;
        exitCode ||= WARNED;
      }
      return unpacked.bytes;
    };
    try {
      const read = () => operand === "-" ? invocation.stdin : readWhole(tools, invocation.path(operand));
      if (options.has("t", "test")) convert(read());
      else if (operand === "-" || toStdout) printed.add(convert(read()));
      else {
        const complaint = replace(tools, invocation, { operand, decompress, options, convert });
        stderr += complaint;
        if (complaint !== "") exitCode = FAILED;
      }
    } catch (error) {
      const known = error instanceof FsError || error instanceof TooLarge || error instanceof DamagedArchive;
      if (!known) throw error;
      stderr += `${name}: ${shown}: ${reasonOf(error)}\n`;
      exitCode = FAILED;
    }
  }
  return { stdout: printed.bytes(tools.stop), stderr, exitCode };
}

/** Puts the converted file in the place of the other. @returns a complaint, if there is one. */
function replace(
  tools: Tools,
  invocation: Invocation,
  { operand, decompress, options, convert }: {
    readonly operand: string;
    readonly decompress: boolean;
    readonly options: Options;
    readonly convert: (bytes: Uint8Array, filename?: string) => Uint8Array;
  },
): string {
  const { fs } = tools;
  const { name } = invocation;
  const source = invocation.path(operand);
  if (decompress && !/\.(gz|tgz)$/.test(source)) return `${name}: ${operand}: unknown suffix -- ignored\n`;
  const target = decompress
    ? source.endsWith(".tgz") ? `${source.slice(0, -4)}.tar` : source.slice(0, -3)
    : `${source}.gz`;
  if (fs.exists(target) && !options.has("f", "force")) return `${name}: ${target} already exists\n`;
  const { mode } = fs.stat(source);
  fs.writeFile(target, convert(readWhole(tools, source), source.slice(source.lastIndexOf("/") + 1)), {
    mode,
  });
  if (!options.has("k", "keep")) fs.unlink(source);
  return "";
}

function levelOf(options: Options): number {
  if (options.has("best")) return 9;
  if (options.has("fast")) return 1;
  return Number(options.given.findLast(([name]) => /^[1-9]$/.test(name))?.[0] ?? 6);
}

function reasonOf(error: Error): string {
  return error instanceof FsError
    ? error.message.replace(/^[A-Z]+: /, "").replace(/, '.*/s, "")
    : error.message;
}
