/** What is built from what: names and versions that are pinned by hand, and the files that are part of a recipe. */

/** Release of Debian whose toolchain and source packages are used, by name: its minor version of CPython is ours. */
export const SUITE = "trixie";

/** Toolchain. python3.13 makes the stdlib's bytecode and is what the bench compares with. */
export const PACKAGES: readonly string[] = [
  "bzip2",
  "clang-19",
  "libclang-rt-19-dev-wasm32",
  "lld-19",
  "llvm-19",
  "make",
  "patch",
  "python3.13",
  "tcl",
  "wasi-libc",
  "xz-utils",
];

export const SOURCE_PACKAGES: readonly string[] = ["bzip2", "python3.13", "sqlite3", "xz-utils", "zlib"];

/** Of QuickJS-ng; `wasm/quickjs/sources.json` pins the file that has its sources. */
export const QUICKJS_VERSION = "0.17.0";

/** The npm package that wasm is taken from: resvg, which makes pictures of SVG. */
export const RESVG = { name: "@resvg/resvg-wasm", version: "2.6.2", file: "index_bg.wasm" } as const;

/** Where Rust's compiler comes from: the suite above has none with a matching library for WebAssembly. */
export const RUST = { suite: "forky", packages: ["cargo", "libstd-rust-dev-wasm32", "rustc"] } as const;

/** What the manifest calls the version of which package; `:source` is Debian's source package. */
export const COMPONENTS = {
  cpython: "python3.13:source",
  bzip2: "bzip2:source",
  sqlite: "sqlite3:source",
  xz: "xz-utils:source",
  zlib: "zlib:source",
  clang: "clang-19",
  "compiler-rt": "libclang-rt-19-dev-wasm32",
  lld: "lld-19",
  "wasi-libc": "wasi-libc",
} as const satisfies Record<string, string>;

/** What every base image is made with. */
const ANY_IMAGE = [
  "src/base64.ts",
  "src/bytes.ts",
  "src/control",
  "src/executor/wire/entry.ts",
  "src/executor/wire/image_error.ts",
  "src/fs",
  "src/garbage.ts",
  "src/host_stack.ts",
  "src/image",
  "src/mime.ts",
  "src/runtime/image_bench.ts",
  "src/runtime/loopback.ts",
  "src/runtime/runtime.ts",
  "src/runtime/signals.ts",
  "src/runtime/stack_switching.ts",
  "src/runtime/steps.ts",
] as const;

/** What CPython's functions do most, as programs that stand for all have shown it; `deno task profile` makes it. */
export const PROFILE = "wasm/python/profile/python.proftext.xz";

/** What downloads sources that are on Python's index. */
export const FETCH_INDEX = "wasm/python/science/fetch_index.py";

/** Files and folders, relative to the checkout, that each stage depends on besides the stages before it. */
export const INPUTS = {
  root: ["wasm/python/build/root.sh"],
  libpython: [
    "wasm/python/build/toolchain.sh",
    "wasm/python/build/embedded.sh",
    "wasm/python/build/libpython.sh",
    "wasm/python/build/known.site",
    PROFILE,
    "wasm/python/patches",
    "wasm/python/posix",
    "wasm/python/ctypes",
    "wasm/python/lzma",
  ],
  link: ["wasm/python/build/toolchain.sh", "wasm/python/build/link.sh", "wasm/python/glue"],
  stdlib: [
    "wasm/python/build/bytecode.py",
    "wasm/python/build/stdlib.py",
    "wasm/python/glue",
    "wasm/python/modules",
  ],
  packages: ["wasm/python/build/bytecode.py", "wasm/python/packages"],
  /** Not of every build. */
  science: ["wasm/python/science", "wasm/rust"],
  /** Not of every build. */
  shell: ["wasm/shell", "wasm/rust"],
  metering: ["wasm/metering"],
  quickjs: ["wasm/python/build/toolchain.sh", "wasm/quickjs"],
  image: [
    ...ANY_IMAGE,
    "src/host_calls/bounds.ts",
    "src/host_calls/bridge.ts",
    "src/languages.ts",
    "src/package_alternatives.ts",
    "src/project_name.ts",
    "src/python_imports.ts",
    "src/runtime/descriptors.ts",
    "src/runtime/python",
    "src/runtime/script_request.ts",
    "src/runtime/wasi_instance.ts",
    "src/wasi",
  ],
  /** What is bundled for JavaScript; deno.lock pins the packages. */
  libraries: [
    "deno.json",
    "deno.lock",
    "scripts/assets/javascript.ts",
    "scripts/assets/npm_licences.ts",
    "src/runtime/javascript/libraries",
    "src/runtime/javascript/libraries.ts",
    "src/runtime/javascript/test_summary.ts",
  ],
  /** The page for people, and the result app; deno.lock pins its packages. */
  page: [
    "deno.json",
    "deno.lock",
    "src/jitless.ts",
    "src/page",
    "scripts/assets/npm_licences.ts",
    "scripts/assets/page.ts",
  ],
  javascript: [
    ...ANY_IMAGE,
    "src/archive/adler32.ts",
    "src/archive/crc32.ts",
    "src/host_calls",
    "src/json_depth.ts",
    "src/languages.ts",
    "src/runtime/given_up.ts",
    "src/runtime/javascript",
    "src/runtime/overspent.ts",
    "src/runtime/returned.ts",
    "src/runtime/script_request.ts",
  ],
  shellImage: [
    ...ANY_IMAGE,
    "src/runtime/descriptors.ts",
    "src/runtime/shell/base_image.ts",
    "src/runtime/shell/instance.ts",
    "src/runtime/shell/instance_processes.ts",
    "src/runtime/shell/programs/program_error.ts",
    "src/runtime/shell/programs/standard_input.ts",
    "src/runtime/shell/spawn.ts",
    "src/runtime/shell/state.ts",
    "src/runtime/wasi_instance.ts",
    "src/wasi",
  ],
  /** How the outputs are put together. */
  assembly: ["scripts/assets", "wasm/licences", "wasm/warm_up", "wasm/python/profile/training"],
} as const satisfies Record<string, readonly string[]>;
