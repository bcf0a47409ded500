/** `node`, `qjs`, `tsx` and `ts-node`: QuickJS on files, `-e`, `-p`, standard input, and the tests in files. */

import { FsError } from "../../../fs/errors.ts";
import type { FileSystem } from "../../../fs/file_system.ts";
import { type HostReply, replyOf } from "../../../host_calls/bridge.ts";
import { GuestError } from "../../javascript/guest_error.ts";
import { NODE_VERSION } from "../../javascript/node_version.ts";
import { PackageResolver } from "../../javascript/package_resolver.ts";
import { hasFailed, HEADERS, SUMMARIES } from "../../javascript/test_summary.ts";
import { HostCallError } from "../../runtime.ts";
import type { Steps } from "../../steps.ts";
import { isStandardInput, normalized, pathOf, readProgram, textOf } from "./files.ts";
import { bytesOf, type ProgramOutput, type SpawnRequest, type Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { type NodeOptions, nodeOptions } from "./node_options.ts";
import { merged, parseTotals, testFiles, type Totals } from "./node_tests.ts";
import { NO_FUEL, type Outlet, Output, processInSteps } from "./process.ts";
import { installProcess } from "./process.js";
import { StandardInput } from "./standard_input.ts";

/** The version whose interface is offered, as `process.version` has it. */
const VERSION = `v${NODE_VERSION}`;
const TYPESCRIPT = /\.[cm]?tsx?$/;
/** Longest report of a file's tests. */
const REPORT_MAX_BYTES = 1024 * 1024;

interface Program {
  readonly code: string;
  readonly filename: string;
  readonly argv: readonly string[];
  readonly stdin: StandardInput;
}

export function* node(surroundings: Surroundings, request: SpawnRequest): Steps<ProgramOutput> {
  const { args } = request;
  if (args[0] === "--version" || args[0] === "-v") return { stdout: `${VERSION}\n` };
  const options = nodeOptions(args);
  for (const path of options.envFiles) {
    if (!surroundings.host.fs.exists(pathOf(request, path))) throw new ProgramError(`${path}: not found`, 9);
  }
  if (options.test) return yield* runTests(surroundings, request, options);
  return yield* run(surroundings, request, yield* load(surroundings, request, options.rest), options);
}

/** Who makes one report of the tests of several programs. */
interface Report {
  /** Told what those of this one have come to. */
  readonly onTests: (totals: Totals) => void;
  /** How many have been told before: those that are in no other, and all. */
  readonly first: { readonly top: number; readonly all: number };
}

/** @param report Absent: the program reports its tests itself. */
function* run(
  surroundings: Surroundings,
  request: SpawnRequest,
  { code, filename, argv, stdin }: Program,
  { check, tests, envFiles }: NodeOptions,
  report?: Report,
): Steps<ProgramOutput> {
  const { name, env, pid, ppid } = request;
  const file = filename.startsWith("/") ? filename : null;
  // These take everything that is no file for TypeScript.
  const isTyped = file === null ? name.startsWith("ts") : TYPESCRIPT.test(file);
  const first = report?.first ?? { top: 0, all: 0 };
  const setUp = [
    [`/usr/bin/${name}`, ...argv],
    env,
    { pid, ppid },
    envFiles,
    file,
    { ...tests, first },
    report !== undefined,
  ].map((value) => JSON.stringify(value).toWellFormed());
  const hostCall = (operation: string, sent: Uint8Array): HostReply | undefined => {
    if (operation !== "process.tests") return undefined;
    if (sent.length > REPORT_MAX_BYTES) {
      throw new HostCallError(`the report exceeds ${REPORT_MAX_BYTES} bytes`);
    }
    report?.onTests(parseTotals(sent));
    return replyOf(null);
  };
  const parts = [
    { code: `(${installProcess})(${setUp.join(", ")});undefined`, filename: "<shell>" },
    { code, filename, ...isTyped && { dialect: "typescript" as const }, ...check && { checkOnly: true } },
  ];
  return yield* processInSteps(surroundings, request, { language: "javascript", parts, stdin, hostCall });
}

/** Each file in a process of its own, and one report of all. */
function* runTests(
  surroundings: Surroundings,
  request: SpawnRequest,
  options: NodeOptions,
): Steps<ProgramOutput> {
  const { fs } = surroundings.host;
  const { reporter } = options.tests;
  const files = filesToTest(fs, request, options.rest);
  if (files.length === 0) return { stderr: "Could not find any test files\n", exitCode: 1 };
  const output: Outlet = request.fiber ?? new Output(request);
  output.write("stdout", bytesOf(HEADERS[reporter]));
  output.flush();
  const all: Totals[] = [];
  for (const path of files) {
    const told: Totals[] = [];
    const program = {
      code: read(surroundings, path),
      filename: path,
      argv: [path],
      stdin: new StandardInput(),
    };
    const { top, tests, suites } = merged(all);
    const ended = yield* run(surroundings, request, program, options, {
      onTests: (totals) => void told.push(totals),
      first: { top, all: tests + suites },
    });
    output.write("stderr", bytesOf(ended.stderr));
    all.push(...told);
    if (surroundings.fuel.left() <= 0) return output.ended(NO_FUEL);
    if (ended.exitCode !== 0 && !told.some(hasFailed)) all.push(failedFile(path, ended.exitCode ?? 1));
  }
  const totals = merged(all);
  output.write("stdout", bytesOf(SUMMARIES[reporter](totals)));
  return output.ended({ exitCode: hasFailed(totals) ? 1 : 0 });
}

/** @param names Files, or directories with them; none: the current directory. @throws {ProgramError} for what is neither. */
function filesToTest(fs: FileSystem, request: SpawnRequest, names: readonly string[]): string[] {
  if (names.length === 0) return testFiles(fs, request.cwd);
  const found = names.flatMap((name) => {
    const path = pathOf(request, name);
    if (name.startsWith("-")) {
      throw new ProgramError(`${name}: options come before the files that are tested`, 9);
    }
    const stat = fs.exists(path) ? fs.stat(path) : undefined;
    if (!stat) throw new ProgramError(`Could not find '${path}'`);
    return stat.type === "directory" ? testFiles(fs, path, normalized(path, "..")) : [path];
  });
  return [...new Set(found)];
}

/** A file that did not come to the end of its tests is a test that failed. */
function failedFile(path: string, exitCode: number): Totals {
  return {
    ...merged([]),
    tests: 1,
    top: 1,
    fail: 1,
    failures: [`✖ ${path}\n  it ended with the exit code ${exitCode}`],
  };
}

/** @param args Those after the options. */
function* load(surroundings: Surroundings, request: SpawnRequest, args: readonly string[]): Steps<Program> {
  const { stdin } = request;
  const [arg, ...rest] = args;
  if (arg !== undefined) {
    if (["-e", "--eval", "-p", "--print", "-pe"].includes(arg)) {
      const [code, ...after] = rest;
      const more = after[0] === "--" ? after.slice(1) : after;
      if (code === undefined) throw new ProgramError(`${arg} requires an argument`, 9);
      const shown = `console.log((0, eval)(${JSON.stringify(code)}))`;
      return { code: arg.includes("p") ? shown : code || " ", filename: "[eval]", argv: more, stdin };
    }
    if (arg === "-" || isStandardInput(arg)) return yield* fromStdin(stdin, rest);
    if (!arg.startsWith("-")) {
      const path = programAt(surroundings.host.fs, pathOf(request, arg));
      return { code: read(surroundings, path), filename: path, argv: [path, ...rest], stdin };
    }
    throw new ProgramError(`bad option: ${arg}`, 9);
  }
  return yield* fromStdin(stdin, []);
}

/** A program may be named without its extension, or by its directory. */
function programAt(fs: FileSystem, path: string): string {
  if (fs.exists(path) && fs.stat(path).type === "file") return path;
  try {
    return new PackageResolver(fs, () => false).find(path) ?? path;
  } catch (error) {
    if (error instanceof GuestError) throw new ProgramError(error.message);
    throw error;
  }
}

function* fromStdin(stdin: StandardInput, argv: readonly string[]): Steps<Program> {
  const code = textOf(yield* stdin.allInSteps()) || " ";
  return { code, filename: "[stdin]", argv: ["-", ...argv], stdin: new StandardInput() };
}

function read(surroundings: Surroundings, path: string): string {
  try {
    return readProgram(surroundings, path).replace(/^\uFEFF?#!.*/, "") || " ";
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    throw new ProgramError(`Cannot find module '${path}'`);
  }
}
