import { library, pythonDriver } from "./driver.ts";
import { fromPyPI } from "./install.ts";
import type { Peer } from "./peer.ts";

/** Of the version that ours is of. */
const VERSION = "0.17.0.2";

export const quickjs: Peer = {
  name: "QuickJS-ng",
  what: "the engine that ours is, compiled for this machine, a library within the caller's Python",
  lacks:
    "No boundary but the language: an error of the engine is one of the caller's process. No `fetch`, no modules of Node. No MCP server.",
  languages: ["javascript"],
  native: true,
  async install() {
    const python = await fromPyPI("quickjs-ng", VERSION);
    return library(VERSION, [python, "-c", await pythonDriver("quickjs")]);
  },
};
