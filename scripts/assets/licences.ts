/** The licences of all that is embedded in the assets, as one file to be shipped with them. */

import { join } from "node:path";
import { repository } from "./paths.ts";

/** A component of an asset. `text` names a file in the folder that `from` stands for. */
interface Component {
  readonly name: string;
  readonly licence: string;
  readonly from: "libpython" | "quickjs" | "repository";
  readonly text: string;
}

const COMPONENTS: readonly Component[] = [
  {
    name: "CPython, with what it incorporates (mimalloc, Mersenne Twister, SipHash, dtoa and others)",
    licence: "PSF-2.0",
    from: "libpython",
    text: "licences/cpython",
  },
  { name: "expat", licence: "MIT", from: "libpython", text: "licences/expat" },
  { name: "libmpdec", licence: "BSD-2-Clause", from: "libpython", text: "licences/libmpdec" },
  { name: "HACL*", licence: "MIT", from: "libpython", text: "licences/hacl" },
  { name: "zlib", licence: "Zlib", from: "libpython", text: "licences/zlib" },
  { name: "bzip2", licence: "bzip2-1.0.6", from: "libpython", text: "licences/bzip2" },
  { name: "liblzma (XZ Utils)", licence: "0BSD", from: "libpython", text: "licences/xz" },
  { name: "SQLite", licence: "public domain", from: "libpython", text: "licences/sqlite" },
  {
    name: "wasi-libc, with musl",
    licence: "Apache-2.0 WITH LLVM-exception, MIT and others",
    from: "libpython",
    text: "licences/wasi-libc",
  },
  {
    name: "compiler-rt (LLVM)",
    licence: "Apache-2.0 WITH LLVM-exception",
    from: "libpython",
    text: "licences/compiler-rt",
  },
  { name: "quickjs-emscripten and QuickJS-ng", licence: "MIT", from: "quickjs", text: "LICENSE" },
  { name: "Emscripten", licence: "MIT", from: "repository", text: "wasm/licences/emscripten.txt" },
  {
    name: "The Apache License, as named above",
    licence: "Apache-2.0",
    from: "libpython",
    text: "licences/apache-2.0",
  },
];

const RULE = "=".repeat(80);

/** @param folders Where the texts of libpython and QuickJS lie. */
export async function thirdPartyLicences(folders: { libpython: string; quickjs: string }): Promise<string> {
  const bases = { ...folders, repository };
  const sections = COMPONENTS.map(async ({ name, licence, from, text }) => {
    const body = await Deno.readTextFile(join(bases[from], text));
    return `${RULE}\n${name}\nLicence: ${licence}\n${RULE}\n\n${body.trimEnd()}\n`;
  });
  const parts = await Promise.all(sections);
  return ["Software embedded in python.wasm, python-stdlib.zip, python.image and quickjs.wasm.\n", ...parts]
    .join("\n");
}
