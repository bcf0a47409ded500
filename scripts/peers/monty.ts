import { library, pythonDriver } from "./driver.ts";
import { fromPyPI } from "./install.ts";
import type { Peer } from "./peer.ts";

/** The newest whose client is on PyPI too. */
const VERSION = "1.4.0";

export const monty: Peer = {
  name: "pydantic-monty",
  what: "an interpreter of its own in Rust, for a part of Python, in a process for each session",
  lacks:
    "Not CPython: no generators (`yield`), a few modules of the standard library, no packages. No system sandbox around its processes. Limits of time and memory, no fuel. No MCP server.",
  languages: ["python"],
  async install() {
    const python = await fromPyPI("pydantic-monty", VERSION);
    return library(VERSION, [python, "-c", await pythonDriver("monty")]);
  },
};
