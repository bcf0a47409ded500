/** `node` and `qjs`: QuickJS on files, `-e`, `-p` and standard input, with what of Node's `process` scripts use. */

import { type HostReply, replyOf } from "../../../host_calls/bridge.ts";
import { concatBytes } from "../../../bytes.ts";
import { HostCallError } from "../../runtime.ts";
import { FsError } from "../../../fs/file_system.ts";
import { bytesOfLatin1, bytesOfText, latin1Of, textOf } from "../bytes.ts";
import type { Command } from "../just_bash.ts";
import { type Output, runProcess } from "./interpreter.ts";
import { installProcess } from "./process.js";
import {
  command,
  CommandError,
  type CommandOutput,
  Files,
  type Invocation,
  TEXT_MAX_BYTES,
  type Tools,
} from "./tools.ts";
import * as z from "zod/mini";

const VERSION = "QuickJS-ng\n";
/** Longest call of what `process.js` asks the host for; it writes in pieces. */
const REQUEST_MAX_BYTES = 1024 * 1024;
const IGNORED = /^--(?!eval|print|version)[a-z-]+(=.*)?$/;

interface Program {
  readonly code: string;
  readonly filename: string;
  readonly argv: readonly string[];
  /** Whether the value of the last expression is printed. */
  readonly print: boolean;
  readonly stdin: Uint8Array;
}

const written = z.object({
  stream: z.enum(["stdout", "stderr"]),
  text: z.optional(z.string()),
  latin1: z.optional(z.string()),
});

export function nodeCommands(tools: Tools): Command[] {
  return ["node", "qjs"].map((name) => command(name, (invocation) => node(tools, invocation)));
}

async function node(tools: Tools, invocation: Invocation): Promise<CommandOutput> {
  const { args, name, env, cwd } = invocation;
  if (args[0] === "--version" || args[0] === "-v") return { stdout: VERSION };
  const { code, filename, argv, print, stdin } = load(tools, invocation);
  const file = filename.startsWith("/") ? filename : null;
  const setUp = [[`/usr/bin/${name}`, ...argv], env, cwd, file].map((value) =>
    JSON.stringify(value).toWellFormed()
  );
  let exitCode: number | undefined;
  const hostCall = (operation: string, request: Uint8Array, output: Output): HostReply | undefined => {
    const value = (): unknown => {
      if (request.length <= REQUEST_MAX_BYTES) return JSON.parse(new TextDecoder().decode(request));
      throw new HostCallError(`the request exceeds ${REQUEST_MAX_BYTES} bytes`);
    };
    switch (operation) {
      case "process.stdin":
        return replyOf(latin1Of(stdin));
      case "process.write": {
        const { stream, text = "", latin1 } = written.parse(value());
        output.write(stream, latin1 === undefined ? bytesOfText(text) : bytesOfLatin1(latin1));
        return replyOf(null);
      }
      case "process.exit":
        exitCode = z.int().check(z.minimum(0), z.maximum(255)).parse(value());
        return replyOf(null);
    }
    return undefined;
  };
  const parts = [
    { code: `(${installProcess})(${setUp.join(", ")});undefined`, filename: "<shell>" },
    { code, filename },
    ...print ? [] : [{ code: "process.exitCode ? process.exit() : undefined", filename: "<shell>" }],
  ];
  const ended = await runProcess(tools, invocation, {
    language: "javascript",
    parts,
    stdin,
    hostCall,
    ended: () => exitCode !== undefined,
  });
  if (exitCode !== undefined) return { ...ended, exitCode };
  if (!print || ended.exitCode !== 0) return ended;
  const shown = bytesOfText(`${ended.result ?? "undefined"}\n`);
  return { ...ended, stdout: concatBytes([ended.stdout as Uint8Array, shown]) };
}

function load(tools: Tools, invocation: Invocation): Program {
  const { args } = invocation;
  const stdin = invocation.stdin();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    const rest = args.slice(at + 1);
    if (["-e", "--eval", "-p", "--print", "-pe"].includes(arg)) {
      const [code, ...more] = rest;
      if (code === undefined) throw new CommandError(`${arg} requires an argument`, 9);
      const print = arg.includes("p");
      return { code: code || " ", filename: "[eval]", argv: more, print, stdin };
    }
    if (arg === "-") return fromStdin(stdin, rest);
    if (!arg.startsWith("-")) {
      const path = invocation.path(arg);
      return { code: read(tools, path), filename: path, argv: [path, ...rest], print: false, stdin };
    }
    if (!IGNORED.test(arg)) throw new CommandError(`bad option: ${arg}`, 9);
  }
  return fromStdin(stdin, []);
}

function fromStdin(stdin: Uint8Array, argv: readonly string[]): Program {
  const code = textOf(stdin) || " ";
  return { code, filename: "[stdin]", argv: ["-", ...argv], print: false, stdin: new Uint8Array(0) };
}

function read(tools: Tools, path: string): string {
  try {
    return textOf(new Files(tools.fs, TEXT_MAX_BYTES).read(path)).replace(/^\uFEFF?#!.*/, "") || " ";
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    throw new CommandError(`Cannot find module '${path}'`);
  }
}
