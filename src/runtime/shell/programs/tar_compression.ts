/** How archives of `tar` are compressed: gzip's here, the others by commands of the shell. */

import { DamagedArchive } from "../../../archive/damaged.ts";
import { gunzip, gzip, isGzip } from "../../../archive/gzip.ts";
import { ProgramError } from "./program_error.ts";
import type { Options } from "./options.ts";
import type { Tools } from "./tools.ts";

interface Compression {
  readonly command: "gzip" | "bzip2" | "xz" | "zstd";
  readonly flags: readonly string[];
  /** Of names of archives. */
  readonly suffix: RegExp;
  /** What its files begin with. */
  readonly magic: string;
}

const COMPRESSIONS: readonly Compression[] = [
  { command: "gzip", flags: ["z", "gzip"], suffix: /\.(?:tgz|gz)$/, magic: "\x1f\x8b" },
  { command: "bzip2", flags: ["j", "bzip2"], suffix: /\.(?:tbz2?|bz2)$/, magic: "BZh" },
  { command: "xz", flags: ["J", "xz"], suffix: /\.(?:txz|xz)$/, magic: "\xfd7zXZ\0" },
  { command: "zstd", flags: ["zstd"], suffix: /\.(?:tzst|zst)$/, magic: "\x28\xb5\x2f\xfd" },
];

/** The archive as the options want it. @param name Of its file. */
export function compressed(tools: Tools, options: Options, name: string, archive: Uint8Array): Uint8Array {
  const program = options.value("I", "use-compress-program");
  if (program !== undefined) return tools.filter(`${compressorOf(program)} -c`, archive);
  const automatic = options.has("a", "auto-compress");
  const compression = COMPRESSIONS.find(({ flags, suffix }) =>
    options.has(...flags) || automatic && suffix.test(name)
  );
  if (!compression) return archive;
  return compression.command === "gzip"
    ? gzip(archive, tools.stop)
    : tools.filter(`${compression.command} -c`, archive);
}

/** A command that is known here, with its options. @throws {ProgramError} */
function compressorOf(program: string): string {
  const [name = "", ...options] = program.split(/ +/);
  const known = COMPRESSIONS.some(({ command }) => command === name) &&
    options.every((one) => /^-[\w-]+$/.test(one));
  if (!known) throw new ProgramError(`${program}: there are gzip, bzip2, xz and zstd`, 2);
  return program;
}

/** The archive in a file, however it is compressed. @param complaints Gets what is wrong with that. */
export function decompressed(
  tools: Tools,
  options: Options,
  bytes: Uint8Array,
  complaints: string[],
): Uint8Array {
  const begins = (magic: string) => [...magic].every((letter, at) => bytes[at] === letter.charCodeAt(0));
  const compression = COMPRESSIONS.find(({ magic }) => begins(magic));
  const told = COMPRESSIONS.find(({ flags }) => options.has(...flags));
  if (told && told !== compression && bytes.length > 0) {
    throw new ProgramError(`${told.command}: stdin: not in ${told.command} format`, 2);
  }
  if (!compression) return bytes;
  if (!isGzip(bytes)) return tools.filter(`${compression.command} -dc`, bytes);
  try {
    const unpacked = gunzip(bytes, tools.stop, tools.fs.quota.maxBytes);
    if (unpacked.trailingGarbage) complaints.push("gzip: stdin: decompression OK, trailing garbage ignored");
    return unpacked.bytes;
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    throw new ProgramError(`gzip: stdin: ${error.message}`, 2);
  }
}
