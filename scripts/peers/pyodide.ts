import { tryRun } from "../assets/process.ts";
import { driverPath, library } from "./driver.ts";
import { fromNpm } from "./install.ts";
import { type Peer, Unavailable } from "./peer.ts";

const VERSION = "314.0.7";
const LACKS =
  "No boundary: `import js` is the host's own JavaScript, whatever that may do. No limit of time or memory, no fuel; a stop needs the host to run it in a Worker. No MCP server.";

function pyodide(host: "Deno" | "Node", command: () => Promise<string[]>): Peer {
  return {
    name: `Pyodide, ${host}`,
    what: `CPython 3.14 by Emscripten, in the process of ${host}`,
    lacks: LACKS,
    languages: ["python"],
    async install() {
      const argv = await command();
      return library(VERSION, [...argv, driverPath("pyodide.mjs"), await fromNpm("pyodide", VERSION)]);
    },
  };
}

export const pyodideInDeno = pyodide(
  "Deno",
  () => Promise.resolve([Deno.execPath(), "run", "--quiet", "--no-config", "--allow-all"]),
);

export const pyodideInNode = pyodide("Node", async () => {
  if (await tryRun(["node", "--version"]) === undefined) {
    throw new Unavailable("needs Node, which is not here");
  }
  return ["node"];
});
