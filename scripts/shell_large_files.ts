/**
 * Runs the commands of shell_large_files.txt over a file of 50 MB in the session's shell and by this machine's tools, and writes
 * how long each took, and what became of the shell's variables, into docs/measured/SHELL_LARGE_FILES.md: what is printed is the
 * same, or the command fails.
 *
 * Arguments: `--keep`, to try only those that have no line in it yet; commands to try instead of all, which writes nothing.
 */

import { createHash } from "node:crypto";
import { writeMeasured } from "./measured.ts";
import { Shell } from "../tests/unit/runtime/shell/harness.ts";

const BYTES = 50_000_000;
/** A command that takes longer is stopped, as by a client. */
const LIMIT_MS = 60_000;
/** What does not heed that is ended by this: half a minute of work. */
const FUEL = 3_000_000_000;
const COMMANDS = (await Deno.readTextFile(new URL("shell_large_files.txt", import.meta.url))).trim().split(
  "\n",
);

const text = (() => {
  const levels = ["INFO", "INFO", "WARN", "ERROR"];
  const lines: string[] = [];
  let random = 20261122;
  for (let length = 0, line = 0; length < BYTES; line++) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    const row = `2026-11-22T10:${String(line % 3600).padStart(4, "0")} ${levels[random >>> 30]} id=${
      random % 100000
    } ${random >>> 12} service answered in ${line % 977} ms`;
    lines.push(row);
    length += row.length + 1;
  }
  return new TextEncoder().encode(`${lines.join("\n")}\n`);
})();

interface Ran {
  readonly ms: number;
  readonly exitCode: number | undefined;
  readonly digest: string;
  readonly stderr: string;
}

interface RanHere extends Ran {
  /** Whether the shell still has its variables. */
  readonly kept: boolean;
}

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function natively(command: string): Promise<Ran> {
  const cwd = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${cwd}/big.txt`, text);
    const env = { LC_ALL: "C.UTF-8" };
    const bash = new Deno.Command("bash", { args: ["-c", command], cwd, env, stdin: "null" });
    const begun = performance.now();
    const { code, stdout, stderr } = await bash.output();
    const ms = performance.now() - begun;
    return { ms, exitCode: code, digest: digestOf(stdout), stderr: new TextDecoder().decode(stderr) };
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

async function here(command: string): Promise<RanHere> {
  const shell = new Shell({ maxBytes: 256 << 20, env: { LC_ALL: "C.UTF-8" } });
  shell.fs.writeFile("/app/big.txt", text);
  await shell.out("kept=yes");
  const begun = performance.now();
  const { outcome, exitCode, bytes, stderr } = await shell.runStopped(command, LIMIT_MS, {
    fuelBudget: FUEL,
  });
  const ms = performance.now() - begun;
  const { stdout } = await shell.run('echo "$kept"');
  shell.runtime.discard();
  return {
    ms,
    exitCode,
    digest: digestOf(bytes),
    stderr: exitCode === undefined ? outcome.status : stderr,
    kept: stdout === "yes\n",
  };
}

function howItEnded(own: Ran, native: Ran): string {
  if (own.digest === native.digest && own.exitCode === native.exitCode) return "the same";
  // Of a pipeline or a list only the last command has its exit code here.
  if (own.exitCode === 0 && own.stderr === "") return "**wrong**";
  const [why = ""] = own.stderr.trim().split("\n");
  return `fails: ${why.replaceAll("|", "\\|")}`;
}

const MEASURED = new URL("../docs/measured/SHELL_LARGE_FILES.md", import.meta.url);
const commandCell = (command: string) => `\`${command.replaceAll("|", "\\|")}\``;

/** Lines of the table as it is, by the cell of their command. */
async function measuredBefore(): Promise<ReadonlyMap<string, string>> {
  const lines = (await Deno.readTextFile(MEASURED)).split("\n").filter((line) => line.startsWith("| `"));
  return new Map(lines.map((line) => [/^\| (`.*?`) +\| /.exec(line)?.[1] ?? "", line]));
}

const keep = Deno.args[0] === "--keep";
const given = keep ? [] : Deno.args;
const kept = keep ? await measuredBefore() : new Map<string, string>();

/** After each command: a run may be broken off. */
function write(): Promise<void> {
  const head = [
    "| command | machine | here | times | what it printed | variables |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  return writeMeasured("SHELL_LARGE_FILES", "scripts/shell_large_files.ts", [...head, ...rows].join("\n"));
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const rows: string[] = [];
const wrong: string[] = [];
for (const command of given.length > 0 ? given : COMMANDS) {
  const before = kept.get(commandCell(command));
  if (before !== undefined) {
    rows.push(before);
    continue;
  }
  const native = await natively(command);
  const own = await here(command);
  const how = howItEnded(own, native);
  if (how === "**wrong**") wrong.push(command);
  const cells = [
    commandCell(command),
    seconds(native.ms),
    seconds(own.ms),
    (own.ms / native.ms).toFixed(1),
    how,
    own.kept ? "kept" : "lost",
  ];
  rows.push(`| ${cells.join(" | ")} |`);
  console.error(rows.at(-1));
  if (given.length === 0) await write();
}
if (wrong.length > 0) console.error(`wrong without an error: ${wrong.join("\n")}`);
Deno.exit(wrong.length > 0 ? 1 : 0);
