/** The options of `node` that come before its program: those that change what it does, those that do not, those that are not here. */

import { type Reporter, REPORTERS } from "../../javascript/test_summary.ts";
import { ProgramError } from "./program_error.ts";

/** Of the names of tests: a regular expression. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** Which tests run, and how they are told. */
export interface TestOptions {
  readonly names: readonly Pattern[];
  readonly skips: readonly Pattern[];
  readonly only: boolean;
  readonly reporter: Reporter;
  /** Most that a test may take, ms. */
  readonly timeout?: number;
}

export interface NodeOptions {
  /** A program is only to be read. */
  readonly check: boolean;
  /** Files are to be tested. */
  readonly test: boolean;
  readonly tests: TestOptions;
  /** Files with variables that the environment has not. */
  readonly envFiles: readonly string[];
  /** What comes after these options. */
  readonly rest: readonly string[];
}

/** Options that have something run before the program, by all of their names. */
const PRELOADS: ReadonlySet<string> = new Set([
  "--require",
  "-r",
  "--import",
  "--loader",
  "--experimental-loader",
]);
/** What they name where TypeScript is to be run, which needs nothing here. */
const FOR_TYPES = /^(?:tsx|ts-node|@swc-node\/register|esbuild-register)(?:\/|$)/;

/** Options whose value may be an argument of its own. */
const VALUED = new Set([
  "--test-name-pattern",
  "--test-skip-pattern",
  "--test-reporter",
  "--test-reporter-destination",
  "--test-timeout",
  "--test-concurrency",
  "--env-file",
  "--input-type",
  ...PRELOADS,
]);
/** They make no difference: files are tested one by one, and a program that has ended has ended. */
const IDLE = new Set(["--test-concurrency", "--test-force-exit"]);
const IGNORED = /^--(?!eval|print|version|test$)[a-z-]+(=.*)?$/;
const ABSENT_OF_TESTS = /^--(?:test-|watch|experimental-test-|coverage)/;
/** They change what a program is given, or does. */
const ABSENT = /^(?:-C|-h|--(?:conditions|env-file-if-exists|help))$/;

/** @throws {ProgramError} for what is no option of Node's, has no value, or is not here. */
export function nodeOptions(args: readonly string[]): NodeOptions {
  const names: Pattern[] = [];
  const skips: Pattern[] = [];
  const envFiles: string[] = [];
  const found = { check: false, test: false, only: false, reporter: "spec" as Reporter, timeout: Infinity };
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at]!;
    const name = arg.replace(/=.*/s, "");
    if (arg === "--check" || arg === "-c") found.check = true;
    else if (arg === "--test") found.test = true;
    else if (arg === "--test-only") found.only = true;
    else if (VALUED.has(name)) {
      const value = arg === name ? args[++at] : arg.slice(name.length + 1);
      if (value === undefined) throw new ProgramError(`${name} requires an argument`, 9);
      if (name === "--test-name-pattern") names.push(pattern(name, value));
      if (name === "--test-skip-pattern") skips.push(pattern(name, value));
      if (name === "--test-reporter") found.reporter = reporterOf(value);
      if (name === "--test-timeout") found.timeout = timeoutOf(value);
      if (name === "--env-file") envFiles.push(value);
      if (PRELOADS.has(name) && !FOR_TYPES.test(value)) {
        throw notHere(`${name} ${value}`, "have the program itself import or require it first");
      }
      if (name === "--test-reporter-destination" && value !== "stdout") {
        throw notHere(arg, "reports go to stdout, which > can lead into a file");
      }
    } else if (ABSENT.test(name)) {
      throw notHere(name, "there are a file, -e, -p, --check, --test, --env-file, and what changes nothing");
    } else if (ABSENT_OF_TESTS.test(arg) && !IDLE.has(arg)) {
      throw notHere(
        name,
        "of the options of tests there are --test-name-pattern, --test-skip-pattern, --test-only, --test-reporter, --test-timeout",
      );
    } else if (!IGNORED.test(arg)) break;
  }
  const { check, test, only, reporter, timeout } = found;
  const tests = { names, skips, only, reporter, ...Number.isFinite(timeout) && { timeout } };
  return { check, test, tests, envFiles, rest: args.slice(at) };
}

const notHere = (name: string, reason: string) => new ProgramError(`${name} is not here: ${reason}`, 9);

/** A regular expression, as it is or between slashes. @throws {ProgramError} if it is none. */
function pattern(option: string, text: string): Pattern {
  const [, source = text, flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
  try {
    new RegExp(source, flags);
    return { source, flags };
  } catch (error) {
    throw new ProgramError(`${option}: ${error instanceof Error ? error.message : error}`, 9);
  }
}

function reporterOf(name: string): Reporter {
  const found = REPORTERS.find((each) => each === name);
  if (!found) throw notHere(`the reporter '${name}'`, `there are ${REPORTERS.join(", ")}`);
  return found;
}

function timeoutOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new ProgramError(`--test-timeout must be a number of milliseconds, not '${text}'`, 9);
}
