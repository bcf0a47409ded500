/** `gzip`, `gunzip`, `zcat`. */

import { FsError } from "../../../fs/file_system.ts";
import { TooLarge } from "../../../archive/collector.ts";
import { DamagedArchive } from "../../../archive/damaged.ts";
import { endOfHeader, gunzip, gzip, isGzip, TRAILER_BYTES } from "../../../archive/gzip.ts";
import { walk } from "../../../archive/walk.ts";
import { isStandardInput, withoutSlashes } from "./files.ts";
import { type Options, parseOptions } from "./options.ts";
import type { ProgramOutput } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { OUTPUT_MAX_BYTES } from "./process.ts";
import { type Invocation, output, readWhole, type Tools } from "./tools.ts";

const FLAGS = [
  ..."cdfkqvnrl123456789t".split(""),
  ..."stdout decompress force keep best fast quiet test recursive list no-name verbose".split(" "),
];

/** Exit codes of gzip. */
const FAILED = 1;
const WARNED = 2;

export function runGzip(tools: Tools, invocation: Invocation): ProgramOutput {
  const { name } = invocation;
  const options = parseOptions(invocation.args, { flags: FLAGS, valued: ["S", "suffix"] });
  const suffix = options.value("S", "suffix") ?? ".gz";
  const decompress = name !== "gzip" || options.has("d", "decompress", "t", "test");
  const level = levelOf(options);
  const toStdout = name === "zcat" || options.has("c", "stdout");
  const most = toStdout ? Math.min(tools.fs.quota.maxBytes, OUTPUT_MAX_BYTES) : tools.fs.quota.maxBytes;
  const operands = options.operands.length === 0
    ? ["-"]
    : options.operands.flatMap((operand) =>
      isStandardInput(operand)
        ? ["-"]
        : options.has("r", "recursive")
        ? [...filesBelow(tools, invocation, operand)]
        : [operand]
    );
  if (options.has("l", "list")) return list(tools, invocation, operands, suffix);
  const printed = output();
  let stderr = "";
  let exitCode = 0;
  for (const operand of operands) {
    const shown = operand === "-" ? "stdin" : operand;
    const convert = (bytes: Uint8Array, filename?: string) => {
      if (!decompress) return gzip(bytes, tools.stop, { level, ...(filename !== undefined && { filename }) });
      // `zcat -f` is a cat of what is no gzip.
      if (options.has("f", "force") && toStdout && !isGzip(bytes)) return bytes;
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
        const { said, replaced } = replace(tools, invocation, {
          operand,
          decompress,
          options,
          suffix,
          convert,
        });
        stderr += said;
        if (!replaced) exitCode ||= WARNED;
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

/** The files that are there, and below. */
function* filesBelow({ fs, stop }: Tools, invocation: Invocation, operand: string): Generator<string> {
  const path = invocation.path(operand);
  if (operand === "-" || !fs.exists(path)) return yield operand;
  for (const { name, type } of walk(fs, path, withoutSlashes(operand), stop)) if (type === "file") yield name;
}

/** What archives hold, as they say it themselves. */
function list(
  tools: Tools,
  invocation: Invocation,
  operands: readonly string[],
  suffix: string,
): ProgramOutput {
  const lines = ["         compressed        uncompressed  ratio uncompressed_name"];
  for (const operand of operands) {
    const bytes = operand === "-" ? invocation.stdin : readWhole(tools, invocation.path(operand));
    let unpacked: number;
    try {
      unpacked = gunzip(bytes, tools.stop, tools.fs.quota.maxBytes).bytes.length;
    } catch (error) {
      if (!(error instanceof DamagedArchive)) throw error;
      throw new ProgramError(`${operand}: ${error.message}`, FAILED);
    }
    const name = operand === "-"
      ? "stdout"
      : operand.endsWith(suffix)
      ? operand.slice(0, -suffix.length)
      : operand;
    const ratio = ratioOf(bytes, unpacked);
    lines.push(
      `${String(bytes.length).padStart(19)} ${String(unpacked).padStart(19)} ${ratio.padStart(6)} ${name}`,
    );
  }
  return { stdout: lines.map((line) => `${line}\n`).join("") };
}

/** Puts the converted file in the place of the other. */
function replace(
  tools: Tools,
  invocation: Invocation,
  { operand, decompress, options, suffix, convert }: {
    readonly operand: string;
    readonly decompress: boolean;
    readonly options: Options;
    readonly suffix: string;
    readonly convert: (bytes: Uint8Array, filename?: string) => Uint8Array;
  },
): { readonly said: string; readonly replaced: boolean } {
  const { fs } = tools;
  const { name } = invocation;
  const left = (why: string) => ({ said: `${name}: ${why}\n`, replaced: false });
  const source = invocation.path(operand);
  const known = [suffix, ".gz", ".tgz"].find((one) => source.endsWith(one));
  if (decompress && known === undefined) return left(`${operand}: unknown suffix -- ignored`);
  if (!decompress && source.endsWith(suffix)) {
    return left(`${operand} already has ${suffix} suffix -- unchanged`);
  }
  const target = decompress
    ? `${source.slice(0, -known!.length)}${known === ".tgz" ? ".tar" : ""}`
    : `${source}${suffix}`;
  if (fs.exists(target) && !options.has("f", "force")) {
    return left(`${target} already exists;\tnot overwritten`);
  }
  const { mode, mtime } = fs.stat(source);
  const bytes = readWhole(tools, source);
  const converted = convert(bytes, source.slice(source.lastIndexOf("/") + 1));
  fs.writeFile(target, converted, { mode });
  fs.setTimes(target, { mtime });
  const keeps = options.has("k", "keep");
  if (!keeps) fs.unlink(source);
  if (!options.has("v", "verbose")) return { said: "", replaced: true };
  const [packed, plain] = decompress ? [bytes, converted] : [converted, bytes];
  const shownTarget = `${operand.slice(0, operand.lastIndexOf("/") + 1)}${
    target.slice(target.lastIndexOf("/") + 1)
  }`;
  return {
    said: `${operand}:\t${ratioOf(packed, plain.length).padStart(6)} -- ${
      keeps ? "created" : "replaced with"
    } ${shownTarget}\n`,
    replaced: true,
  };
}

/** How much smaller the data are, packed. */
function ratioOf(packed: Uint8Array, plainBytes: number): string {
  const data = packed.length - endOfHeader(packed, 0) - TRAILER_BYTES;
  return `${(plainBytes === 0 ? 0 : 100 * (1 - data / plainBytes)).toFixed(1)}%`;
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
