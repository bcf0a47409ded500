/**
 * Libraries that come with the runtime: bundled when the assets are built, evaluated inside QuickJS.
 *
 * This table is all that a build knows of them. A library's entry is a module in `libraries/`, which may import npm
 * packages; the prelude gets at what it exports by `hooks.library(name)`. If it exports `install(host, hooks)`, that is
 * called once, when the library has been evaluated, with the host's functions and what the parts of the prelude share.
 */

export interface Library {
  /** Below this folder. */
  readonly entry: string;
  /**
   * "image": evaluated at build time. Its heap is a part of every session's, which costs no time but the memory that it
   * takes. "first use": its text is an asset, evaluated when it is asked for, at some 8 MB/s. "own image": what its heap
   * has over that image is an asset, for programs of their own which start from both.
   */
  readonly load: "image" | "first use" | "own image";
  /** Globals that its `install` defines; one that is loaded at its first use is when one of these is touched. */
  readonly globals?: readonly string[];
}

export const LIBRARIES: Readonly<Record<string, Library>> = {
  /** Takes types and JSX off of programs. */
  sucrase: {
    entry: "sucrase.js",
    load: "image",
  },
  /** Node's modules and globals. */
  node: { entry: "node.js", load: "image" },
  /** AES, ChaCha20, elliptic curves: for `node:crypto` and `crypto.subtle`. */
  ciphers: { entry: "ciphers.js", load: "first use" },
  /** What unpacks Brotli: for `node:zlib`. */
  brotli: { entry: "brotli.js", load: "first use" },
  /** The shell's command. */
  git: { entry: "git/main.js", load: "own image" },
};
