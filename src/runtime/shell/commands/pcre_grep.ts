/**
 * `grep -P` for patterns that RE2 has not: lookaround and back references. They may take for ever, so they run inside
 * QuickJS, which can be stopped.
 */

import { FsError } from "../../../fs/file_system.ts";
import { lossyTextOf } from "../bytes.ts";
import { runProcess } from "./interpreter.ts";
import { parseOptions } from "./options.ts";
import { bounded, type CommandOutput, Files, type Invocation, TEXT_MAX_BYTES, type Tools } from "./tools.ts";

interface Search {
  readonly pattern: string;
  readonly flags: string;
  readonly whole: boolean;
  readonly invert: boolean;
  readonly only: boolean;
  readonly count: boolean;
  readonly names: boolean;
  readonly numbers: boolean;
  readonly quiet: boolean;
  readonly prefixed: boolean;
  readonly inputs: readonly (readonly [name: string, text: string])[];
}

/** Inside QuickJS. The value of the script says whether anything was found. */
function search(s: Search): void {
  const regexp = new RegExp(s.whole ? `^(?:${s.pattern})$` : s.pattern, s.flags);
  let found = false;
  for (const [name, text] of s.inputs) {
    const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
    let matched = 0;
    for (let i = 0; text !== "" && i < lines.length; i++) {
      const line = lines[i]!;
      const matches = [...line.matchAll(regexp)];
      if (matches.length > 0 === s.invert) continue;
      matched++;
      if (s.count || s.names || s.quiet) continue;
      const prefix = (s.prefixed ? `${name}:` : "") + (s.numbers ? `${i + 1}:` : "");
      if (!s.only) console.log(prefix + line);
      else for (const [match] of matches) if (match) console.log(prefix + match);
    }
    found ||= matched > 0;
    if (s.count) console.log((s.prefixed ? `${name}:` : "") + matched);
    if (s.names && matched > 0) console.log(name);
  }
  if (!found) throw "none";
}

export async function pcreGrep(tools: Tools, invocation: Invocation): Promise<CommandOutput> {
  const options = parseOptions(invocation.args, {
    flags: [..."PoivcnqlhHsx", "perl-regexp", "only-matching", "color"],
    valued: ["e"],
  });
  const operands = [...options.operands];
  const pattern = options.value("e") ?? operands.shift() ?? "";
  let stderr = "";
  const inputs: [string, string][] = [];
  const files = new Files(tools.fs, TEXT_MAX_BYTES);
  for (const name of operands.length === 0 ? ["-"] : operands) {
    try {
      const bytes = name === "-" ? bounded(invocation.stdin()) : files.read(invocation.path(name));
      inputs.push([name === "-" ? "(standard input)" : name, lossyTextOf(bytes)]);
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      stderr += `grep: ${name}: No such file or directory\n`;
    }
  }
  const what: Search = {
    pattern,
    flags: options.has("i") ? "giu" : "gu",
    whole: options.has("x"),
    invert: options.has("v"),
    only: options.has("o", "only-matching"),
    count: options.has("c"),
    names: options.has("l"),
    numbers: options.has("n"),
    quiet: options.has("q"),
    prefixed: !options.has("h") && (options.has("H") || operands.length > 1),
    inputs,
  };
  const code = `(${search})(${JSON.stringify(what).toWellFormed()});undefined`;
  const process = { language: "javascript", parts: [{ code, filename: "grep" }] } as const;
  const ended = await runProcess(tools, invocation, { ...process, stdin: new Uint8Array(0) });
  if (ended.exitCode === 0) return { ...ended, stderr, exitCode: stderr === "" ? 0 : 2 };
  const nothing = ended.exitCode === 1 && ended.stderr?.includes("none");
  if (nothing) return { ...ended, stderr, exitCode: stderr === "" ? 1 : 2 };
  return { ...ended, stderr: `grep: ${ended.stderr}`, exitCode: 2 };
}
