import { library, pythonDriver } from "./driver.ts";
import { fromPyPI } from "./install.ts";
import type { Peer } from "./peer.ts";

const VERSION = "0.11.0";

export const eryx: Peer = {
  name: "pyeryx",
  what: "CPython 3.14 in wasmtime, a library within the caller's Python",
  lacks:
    "No process boundary: guests' memory is the caller's process. Python alone. Its MCP server (`eryx serve`) has one session and one tool; a stop is a time-out, nothing cancels a call. Sessions don't survive their process, but for what can be pickled.",
  languages: ["python"],
  async install() {
    const python = await fromPyPI("pyeryx", VERSION);
    return library(VERSION, [python, "-c", await pythonDriver("eryx")]);
  },
};
