/**
 * Runs busybox's test suite in the session's shell, and writes what passes into docs/measured/BUSYBOX_SUITE.md.
 *
 * Argument: the folder `testsuite` of an unpacked busybox (Debian: `apt-get source busybox`), then names of tools to try
 * instead of all, which prints what fails and writes nothing. Where this machine has the tool, what GNU's (or whoever
 * else's) fails too is not counted: busybox has ways of its own.
 */

import { writeMeasured } from "./measured.ts";
import { Shell } from "../tests/unit/runtime/shell/harness.ts";

/** What is about a system that is not there, or about busybox itself. */
const OTHER = new Set(
  "all_sourcecode ash busybox hostid hostname makedevs mdev mkfs.minix mount parse pidof start-stop-daemon taskset uptime wget"
    .split(" "),
);
/** Enough for the largest of them. */
const LIMIT_MS = 240_000;
const SUITE = "/app/testsuite";

const [folder, ...only] = Deno.args;
if (folder === undefined) throw new Error("which folder testsuite of a busybox?");
const files = [...Deno.readDirSync(folder)].filter(({ name }) => name !== "runtest");
const tools = [
  ...new Set(
    files.filter(({ name, isDirectory }) => isDirectory || name.endsWith(".tests"))
      .map(({ name }) => name.replace(/\.tests$/, "")),
  ),
].filter((name) => !OTHER.has(name)).sort();

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
}

/** Runs all tests of a tool; each says on a line of its own how it went. @param suite Where the suite is. */
async function scriptOf(tool: string, suite: string): Promise<string> {
  const lines = [
    `mkdir -p ${suite}/bin ${suite}/tmp`,
    `cd ${suite}`,
    `export ECHO=echo VERBOSE=1 tsdir=${suite}`,
  ];
  lines.push(
    `printf '#!/bin/sh\\nexec "$@"\\n' > bin/busybox; chmod +x bin/busybox; export PATH=$PATH:${suite}/bin`,
  );
  for (const { name } of files.filter(({ name, isDirectory }) => isDirectory && name === tool)) {
    for (const test of [...Deno.readDirSync(`${folder}/${name}`)].map(({ name }) => name).sort()) {
      const work = `${suite}/tmp/${test}`;
      lines.push(
        `mkdir ${work}; if (cd ${work}; d=${suite} bash -e ${suite}/${name}/${test}) </dev/null >/dev/null 2>&1; ` +
          `then echo "PASS: ${test}"; else echo "FAIL: ${test}"; fi`,
      );
    }
  }
  if (files.some(({ name }) => name === `${tool}.tests`)) {
    const text = await Deno.readTextFile(`${folder}/${tool}.tests`);
    const features = text.matchAll(/optional ([\w !]+)/g).flatMap(([, words]) => words!.split(" "));
    const has = new Set(features.filter((word) => word !== "" && !word.startsWith("!") && word !== "STATIC"));
    lines.push(`(export OPTIONFLAGS=:${[...has].join(":")}:; bash ./${tool}.tests </dev/null 2>&1)`);
  }
  return lines.join("\n");
}

function outcomesOf(printed: string): Outcome[] {
  const seen = new Map<string, number>();
  return printed.matchAll(/^(PASS|FAIL): (.*)$/gm).map(([, how, name]) => {
    const times = (seen.get(name!) ?? 0) + 1;
    seen.set(name!, times);
    return { name: times > 1 ? `${name} (${times})` : name!, passed: how === "PASS" };
  }).toArray();
}

async function here(tool: string): Promise<string> {
  const shell = new Shell();
  const copy = async (from: string, to: string) => {
    shell.fs.mkdir(to);
    for (const { name, isDirectory } of Deno.readDirSync(from)) {
      if (isDirectory) await copy(`${from}/${name}`, `${to}/${name}`);
      else shell.fs.writeFile(`${to}/${name}`, await Deno.readFile(`${from}/${name}`), { mode: 0o755 });
    }
  };
  await copy(folder!, SUITE);
  const { stdout } = await shell.runStopped(await scriptOf(tool, SUITE), LIMIT_MS);
  return stdout;
}

/** @returns undefined if the machine has no such tool. */
async function natively(tool: string): Promise<string | undefined> {
  const found = await new Deno.Command("bash", { args: ["-c", `command -v ${tool}`], stdout: "null" })
    .output();
  if (!found.success) return undefined;
  const root = await Deno.makeTempDir();
  try {
    const suite = `${root}/testsuite`;
    await new Deno.Command("cp", { args: ["-r", folder!, suite] }).output();
    const { stdout } = await new Deno.Command("timeout", {
      args: [`${LIMIT_MS / 1000}`, "bash", "-c", await scriptOf(tool, suite)],
      stdin: "null",
      stderr: "null",
    }).output();
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const rows: string[] = [];
const absent: string[] = [];
const total = { counted: 0, passed: 0 };
for (const tool of tools) {
  if (only.length > 0 && !only.includes(tool)) continue;
  if ((await new Shell().run(`command -v ${tool}`)).exitCode !== 0) {
    absent.push(tool);
    continue;
  }
  const printed = await here(tool);
  const passed = new Set(outcomesOf(printed).filter(({ passed }) => passed).map(({ name }) => name));
  const native = await natively(tool);
  const counted = outcomesOf(native ?? printed).filter((test) => test.passed || native === undefined);
  const failed = counted.filter(({ name }) => !passed.has(name)).map(({ name }) => name);
  total.counted += counted.length;
  total.passed += counted.length - failed.length;
  const names = failed.slice(0, 6).map((name) => name.replaceAll("|", "\\|")).join("; ");
  rows.push(
    `| ${tool} | ${counted.length} | ${counted.length - failed.length} | ${names}${
      failed.length > 6 ? "; …" : ""
    } |`,
  );
  console.error(rows.at(-1));
  if (only.length > 0) console.error(printed, failed);
}
if (only.length === 0) {
  rows.push(`| **all** | ${total.counted} | ${total.passed} | |`, `| absent | | | ${absent.join(", ")} |`);
  const table = ["| tool | counted | pass | fail |", "| --- | --- | --- | --- |", ...rows].join("\n");
  await writeMeasured("BUSYBOX_SUITE", "scripts/busybox_suite.ts", table);
}
Deno.exit(0);
