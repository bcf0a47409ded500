/** The package for PyPI, a wheel: `uvx wasmbox`, `pip install wasmbox`. */

import { strToU8, type Zippable, zipSync } from "fflate/browser";
import { VERSION } from "../../src/version.ts";
import { DENO_OPTIONS, DENO_VERSION, filled, HOMEPAGE_TEXT, inRoot } from "./program.ts";

/** Zip files have times of their own; these are all made at the earliest that they can tell. */
const MADE = new Date(1980, 0, 1);
const INFO = `wasmbox-${VERSION}.dist-info`;

/** @param program Directory of the program. @returns The file's path. */
export async function packWheel(program: string, output: string): Promise<string> {
  const launcher = await filled("launcher.py", { OPTIONS: DENO_OPTIONS });
  const files: Record<string, Uint8Array<ArrayBuffer>> = {
    "wasmbox/__init__.py": strToU8(""),
    "wasmbox/__main__.py": strToU8(launcher),
    ...await filesBelow(program, "wasmbox/program"),
    [`${INFO}/METADATA`]: strToU8(await metadata()),
    [`${INFO}/WHEEL`]: strToU8(
      "Wheel-Version: 1.0\nGenerator: wasmbox\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    ),
    [`${INFO}/entry_points.txt`]: strToU8("[console_scripts]\nwasmbox = wasmbox.__main__:main\n"),
    [`${INFO}/licenses/LICENSE`]: await Deno.readFile(inRoot("LICENSE")),
  };
  files[`${INFO}/RECORD`] = strToU8(await record(files));
  const path = `${output}/wasmbox-${VERSION}-py3-none-any.whl`;
  const zippable: Zippable = Object.fromEntries(
    Object.entries(files).map(([name, bytes]) => [name, [bytes, { mtime: MADE, level: 6 }]]),
  );
  await Deno.writeFile(path, zipSync(zippable));
  return path;
}

async function filesBelow(
  directory: string,
  prefix: string,
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const files: Record<string, Uint8Array<ArrayBuffer>> = {};
  const entries = Array.from(Deno.readDirSync(directory)).sort((a, b) => a.name < b.name ? -1 : 1);
  for (const { name, isDirectory } of entries) {
    if (isDirectory) Object.assign(files, await filesBelow(`${directory}/${name}`, `${prefix}/${name}`));
    else files[`${prefix}/${name}`] = await Deno.readFile(`${directory}/${name}`);
  }
  return files;
}

async function metadata(): Promise<string> {
  return [
    "Metadata-Version: 2.4",
    "Name: wasmbox",
    `Version: ${VERSION}`,
    `Summary: ${HOMEPAGE_TEXT}`,
    "License-Expression: MIT",
    "License-File: LICENSE",
    "Requires-Python: >=3.10",
    `Requires-Dist: deno==${DENO_VERSION}`,
    "Description-Content-Type: text/markdown",
    "",
    await Deno.readTextFile(inRoot("README.md")),
  ].join("\n");
}

/** The hash of each file, as installers check them. */
async function record(files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>): Promise<string> {
  const lines: string[] = [];
  for (const [name, bytes] of Object.entries(files)) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const text = digest.toBase64({ alphabet: "base64url", omitPadding: true });
    lines.push(`${name},sha256=${text},${bytes.length}`);
  }
  return `${[...lines, `${INFO}/RECORD,,`].join("\n")}\n`;
}
