/** `tar`: archives that are made, added to, listed and extracted, plain or compressed. */

import { FsError } from "../../../fs/file_system.ts";
import { isStandardInput, isStandardOutput } from "./files.ts";
import type { ProgramOutput } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { type Options, parseOptions } from "./options.ts";
import { add, create, remove } from "./tar_create.ts";
import { extract, list } from "./tar_extract.ts";
import { type Order, reasonOf } from "./tar_order.ts";
import { type Invocation, readWhole, type Tools } from "./tools.ts";

const MODES: Readonly<Record<string, readonly string[]>> = {
  create: ["c", "create"],
  extract: ["x", "extract", "get"],
  list: ["t", "list"],
  add: ["r", "append"],
  update: ["u", "update"],
  remove: ["delete"],
};
const FLAGS = [
  ...Object.values(MODES).flat(),
  ..."zjJvOpkamoh".split(""),
  ..."gzip gunzip bzip2 xz zstd verbose to-stdout keep-old-files auto-compress overwrite dereference".split(
    " ",
  ),
  ..."preserve-permissions no-same-owner no-same-permissions numeric-owner wildcards no-wildcards".split(" "),
  ..."P absolute-names exclude-vcs remove-files no-recursion null version".split(" "),
  ..."totals skip-old-files no-overwrite-dir delay-directory-restore hard-dereference".split(" "),
  // There is one file system, without any of these.
  ..."one-file-system S sparse no-acls no-xattrs no-selinux".split(" "),
];
const VALUED = [
  ..."fCXTIb".split(""),
  ..."blocking-factor warning".split(" "),
  ..."file directory exclude exclude-from files-from strip-components format owner group sort".split(" "),
  ..."use-compress-program transform xform mtime one-top-level".split(" "),
];

const VERSION_CONTROL = [
  ".git",
  ".gitignore",
  ".gitattributes",
  ".gitmodules",
  ".svn",
  ".hg",
  ".hgignore",
  "CVS",
  ".bzr",
];

export function tar(tools: Tools, invocation: Invocation): ProgramOutput {
  const options = parseOptions(invocation.args, { flags: FLAGS, valued: VALUED, bundled: true });
  if (options.has("version")) return { stdout: "tar (GNU tar) 1.35\n" };
  if (options.has("P", "absolute-names")) {
    throw new ProgramError("-P: names of an archive stay below the directory that it is extracted to", 2);
  }
  const modes = Object.entries(MODES).filter(([, names]) => options.has(...names)).map(([mode]) => mode);
  const [mode, another] = modes;
  if (mode === undefined) throw new ProgramError("You must specify one of the '-ctxru' options", 2);
  if (another !== undefined) {
    throw new ProgramError("You may not specify more than one '-ctxru' or '--delete' option", 2);
  }
  const order: Order = {
    options,
    file: archiveName(options.value("f", "file") ?? "-"),
    root: invocation.path(options.value("C", "directory") ?? "."),
    names: [...options.operands, ...linesOf(tools, invocation, options, ["T", "files-from"])],
    excluded: [
      ...options.given.filter(([name]) => name === "exclude").map(([, value]) => `${value}`),
      ...linesOf(tools, invocation, options, ["X", "exclude-from"]),
      ...options.has("exclude-vcs") ? VERSION_CONTROL : [],
    ],
    transforms: options.given.filter(([name]) => name === "transform" || name === "xform").map(([, value]) =>
      `${value}`
    ),
  };
  if (mode === "create") return create(tools, invocation, order);
  if (mode === "extract") return extract(tools, invocation, order);
  if (mode === "list") return list(tools, invocation, order);
  if (mode === "remove") return remove(tools, invocation, order);
  return add(tools, invocation, order, mode === "update");
}

/** A pipe by its other names. */
function archiveName(name: string): string {
  return isStandardInput(name) || isStandardOutput(name) ? "-" : name;
}

/** The lines of all files that options of these names give. */
function linesOf(
  tools: Tools,
  invocation: Invocation,
  options: Options,
  names: readonly string[],
): readonly string[] {
  const separator = options.has("null") ? "\0" : "\n";
  return options.given.filter(([name]) => names.includes(name)).flatMap(([, file]) => {
    const bytes = file === "-" || isStandardInput(`${file}`)
      ? invocation.stdin
      : readFile(tools, invocation, `${file}`);
    return new TextDecoder().decode(bytes).split(separator).filter((line) => line !== "");
  });
}

function readFile(tools: Tools, invocation: Invocation, file: string): Uint8Array {
  try {
    return readWhole(tools, invocation.path(file));
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    throw new ProgramError(`${file}: Cannot open: ${reasonOf(error)}`, 2);
  }
}
