/** The licences of all that is embedded in the assets, as one file to be shipped with them. */

import { join } from "node:path";
import type { BundledNpmPackage } from "./npm_licences.ts";
import type { PackedPackages } from "./packages.ts";
import { repository } from "./paths.ts";
import type { PackedScience } from "./science.ts";

/** A component of an asset. `text` names a file in the folder that `from` stands for. */
interface Component {
  readonly name: string;
  readonly licence: string;
  readonly from:
    | "libpython"
    | "quickjs"
    | "repository"
    | "packages"
    | "science"
    | "scipy"
    | "javascript"
    | "page"
    | "shell";
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
  { name: "QuickJS-ng", licence: "MIT", from: "quickjs", text: "licences/quickjs-ng" },
  {
    name: "resvg-js (@resvg/resvg-wasm 2.6.2), with resvg, usvg, rustybuzz and other Rust libraries",
    licence: "MPL-2.0, MIT, Apache-2.0, BSD-3-Clause",
    from: "repository",
    text: "wasm/licences/resvg.txt",
  },
  {
    name: "The Apache License, as named above",
    licence: "Apache-2.0",
    from: "libpython",
    text: "licences/apache-2.0",
  },
];

/** Texts that those of Debian's packages refer to. */
const COMMON: readonly Component[] = ["GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3", "MPL-2.0"].map((name) => ({
  name: `${name}, as named above`,
  licence: name,
  from: "packages",
  text: `licences/${name}`,
}));

const SHELL: readonly Component[] = [{
  name: "The shell: bashkit and other crates of Rust, with its standard library; each as named below",
  licence: "MIT, Apache-2.0, BSD-3-Clause, Unicode-3.0 and others",
  from: "shell",
  text: "licences.txt",
}];

const RULE = "=".repeat(80);

/** What of {@link packed} has a text of its own. */
function packedComponents({ packages, pip, fonts }: PackedPackages): Component[] {
  const certificates = { name: "ca-certificates", licence: "MPL-2.0", source: "in certifi" };
  return [...packages, pip, certificates, fonts].map(({ name, licence, source }) => ({
    name: `${name} (${source})`,
    licence,
    from: "packages",
    text: `licences/${name}`,
  }));
}

function scienceComponents(from: "science" | "scipy", { packages, libraries }: PackedScience): Component[] {
  const titled = packages.map((item) => ({ ...item, title: `${item.name} (${item.source})` }));
  return [...titled, ...libraries.map((item) => ({ ...item, title: item.name }))].map((item) => ({
    name: item.title,
    licence: item.licence,
    from,
    text: `licences/${item.name}`,
  }));
}

/** The npm packages in JavaScript's libraries, and in the page. */
async function npmComponents(from: "javascript" | "page", directory: string): Promise<Component[]> {
  const packages: readonly BundledNpmPackage[] = JSON.parse(
    await Deno.readTextFile(join(directory, "packages.json")),
  );
  return packages.map(({ id, licence, text }) => ({
    name: from === "page" ? `${id} (npm, in the page)` : `${id} (npm)`,
    licence,
    from,
    text,
  }));
}

/** @param folders Where the texts of libpython, QuickJS, its libraries, the page, the packages and science's lie. */
export async function thirdPartyLicences(
  folders: {
    libpython: string;
    quickjs: string;
    packages: string;
    javascript: string;
    page: string;
    science?: string;
    scipy?: string;
    shell?: string;
  },
  packed: PackedPackages,
  { science, scipy }: Readonly<Record<"science" | "scipy", PackedScience>>,
): Promise<string> {
  const bases = { science: "", scipy: "", shell: "", ...folders, repository };
  const components = [
    ...COMPONENTS,
    ...await npmComponents("javascript", folders.javascript),
    ...await npmComponents("page", folders.page),
    ...packedComponents(packed),
    ...scienceComponents("science", science),
    ...scienceComponents("scipy", scipy),
    ...folders.shell === undefined ? [] : SHELL,
    ...COMMON,
  ];
  const sections = components.map(async ({ name, licence, from, text }) => {
    const body = await Deno.readTextFile(join(bases[from], text));
    return `${RULE}\n${name}\nLicence: ${licence}\n${RULE}\n\n${body.trimEnd()}\n`;
  });
  const parts = await Promise.all(sections);
  const assets =
    "python.wasm, python.image, the zips of Python modules, what begins with python-science or python-scipy, the fonts, quickjs.wasm, the files that begin with javascript or page, shell.wasm and resvg.wasm";
  const sources = "Debian's source packages of the versions named are the source of what is under (L)GPL.";
  return [`Software embedded in ${assets}. ${sources}\n`, ...parts].join("\n");
}
