/**
 * Runs commands over a file of 50 MB in the session's shell and by this machine's tools, and writes how long each took into
 * docs/measured/SHELL_LARGE_FILES.md: what is printed is the same, or the command fails.
 *
 * Arguments: commands to try instead of all, which writes nothing.
 */

import { createHash } from "node:crypto";
import { writeMeasured } from "./measured.ts";
import { Shell } from "../tests/unit/runtime/shell/harness.ts";

const BYTES = 50_000_000;
const LIMIT_MS = 180_000;
const COMMANDS = [
  "wc big.txt",
  "wc -l < big.txt",
  "cat big.txt | wc -c",
  "head -n 1 big.txt; tail -n 1 big.txt",
  "grep -c ERROR big.txt",
  "grep -E 'id=[0-9]*77 ' big.txt | tail -n 3",
  "grep -v INFO big.txt | md5sum",
  "sed 's/ERROR/error/; s/id=\\([0-9]*\\)/<\\1>/' big.txt | md5sum",
  "sed -n '1000,1005p' big.txt",
  "sed -i 's/WARN/warn/' big.txt; md5sum big.txt",
  "awk '{ n[$2]++; s += $4 } END { for (k in n) print k, n[k]; print s }' big.txt | sort",
  "awk -F'[= ]' '$2 == \"ERROR\" { print $4 }' big.txt | md5sum",
  "sort big.txt | md5sum",
  "sort -k4,4n -k1,1 big.txt | md5sum",
  "cut -d' ' -f2 big.txt | sort | uniq -c",
  "cut -c1-20 big.txt | md5sum",
  "tr a-z A-Z < big.txt | md5sum",
  "sha256sum big.txt",
  "md5sum big.txt",
  "base64 big.txt | md5sum",
  "base64 big.txt | base64 -d | md5sum",
  "gzip -c big.txt | gunzip | md5sum",
  "gzip -k big.txt && zcat big.txt.gz | md5sum",
  "xz -1 -c big.txt | xz -dc | md5sum",
  "tar czf b.tgz big.txt && tar xzOf b.tgz | md5sum",
  "cp big.txt copy.txt && cmp big.txt copy.txt && echo same",
  "split -l 100000 big.txt part_ && cat part_* | cmp - big.txt && ls part_* | wc -l",
  "tac big.txt | head -n 2",
  "rev big.txt | md5sum",
  "nl big.txt | tail -n 1",
  "od -c big.txt | tail -n 1",
  "xxd big.txt | tail -n 1",
  "paste -d, big.txt big.txt | md5sum",
  "uniq -c big.txt | tail -n 1",
  "tee copy.txt < big.txt | md5sum",
  "dd if=big.txt bs=1M skip=10 count=5 status=none | md5sum",
  "x=$(cat big.txt); echo ${#x}",
  "python3 -c 'print(sum(1 for _ in open(\"big.txt\")))'",
  "cat big.txt | python3 -c 'import sys; print(len(sys.stdin.read()))'",
];

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

async function here(command: string): Promise<Ran> {
  const shell = new Shell({ maxBytes: 256 << 20, env: { LC_ALL: "C.UTF-8" } });
  shell.fs.writeFile("/app/big.txt", text);
  await shell.out("true");
  const begun = performance.now();
  const { outcome, exitCode, bytes, stderr } = await shell.runStopped(command, LIMIT_MS);
  const ms = performance.now() - begun;
  shell.runtime.discard();
  return {
    ms,
    exitCode,
    digest: digestOf(bytes),
    stderr: stderr || (exitCode === undefined ? outcome.status : ""),
  };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
const rows: string[] = [];
const wrong: string[] = [];
for (const command of Deno.args.length > 0 ? Deno.args : COMMANDS) {
  const native = await natively(command);
  const own = await here(command);
  const same = own.digest === native.digest && own.exitCode === native.exitCode;
  const refused = own.exitCode !== 0;
  if (!same && !refused) wrong.push(command);
  const how = same ? "the same" : refused ? `fails: ${own.stderr.trim().split("\n")[0]}` : "**wrong**";
  const cells = [
    `\`${command.replaceAll("|", "\\|")}\``,
    seconds(native.ms),
    seconds(own.ms),
    (own.ms / native.ms).toFixed(1),
    how,
  ];
  rows.push(`| ${cells.join(" | ")} |`);
  console.error(rows.at(-1));
}
if (Deno.args.length === 0) {
  const head = ["| command | machine | here | times | |", "| --- | --- | --- | --- | --- |"];
  await writeMeasured("SHELL_LARGE_FILES", "scripts/shell_large_files.ts", [...head, ...rows].join("\n"));
}
if (wrong.length > 0) console.error(`wrong without an error: ${wrong.join("\n")}`);
Deno.exit(wrong.length > 0 ? 1 : 0);
