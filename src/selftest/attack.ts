/** What an attack is: its program or its calls, what is expected of them, and who judges. */

import type { Language } from "../languages.ts";
import type { Canaries } from "./canaries.ts";
import type { Answer, Client, RequestOptions } from "./client.ts";
import type { FrontDoor } from "./front_door.ts";

export type Family =
  | "paths"
  | "host files"
  | "network"
  | "process"
  | "environment"
  | "javascript globals"
  | "javascript values"
  | "python interpreter"
  | "shell"
  | "message forgery"
  | "floods"
  | "memory"
  | "recursion"
  | "complexity"
  | "fuel evasion"
  | "time"
  | "other sessions"
  | "ids"
  | "protocol"
  | "volumes"
  | "displays"
  | "handlers"
  | "science"
  | "executor loss"
  | "http";

/** The structured content of execute_code, as far as attacks are judged by it. */
export interface Execution {
  readonly execution_id: string;
  readonly status: string;
  readonly state: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: { readonly stdout: boolean; readonly stderr: boolean };
  readonly result: string | null;
  readonly error: {
    readonly error_code: string;
    readonly message: string;
    readonly type?: string;
    readonly traceback?: string;
  } | null;
  readonly notice: string | null;
  readonly session_created: boolean;
  /** What a handler returned. */
  readonly return_value: unknown;
  readonly displays: readonly Display[];
  readonly displays_dropped: number;
  /** The reply's image blocks. */
  readonly images: readonly Image[];
}

/** One thing that a program showed. */
export interface Display {
  readonly mime_type: string;
  readonly size: number;
  readonly text: string | null;
  readonly image: number | null;
  readonly width: number | null;
  readonly height: number | null;
  /** The file it was saved as, if it is not in the reply. */
  readonly path: string | null;
  readonly note: string | null;
}

export interface Image {
  readonly mimeType: string;
  /** In base64. */
  readonly data: string;
}

/** How a program has to end. Every field that is given must hold. */
export interface Expectation {
  /** The expectation in words, for the report. */
  readonly says: string;
  readonly status: readonly string[];
  /** Matched against `Type: message`. */
  readonly error?: RegExp;
  readonly result?: RegExp | string;
  readonly stdout?: RegExp;
  /** Outputs that must be cut and said to be. */
  readonly truncated?: readonly ("stdout" | "stderr")[];
}

/** What came of an attack, in the words of the one who judged it. */
export interface Finding {
  readonly refused: boolean;
  readonly got: string;
}

/** Where attacks take place: a real server, a session of the attacker's own, a session of somebody else. */
export interface Stage {
  readonly client: Client;
  /** Name of the attacker's session; made by its first use, destroyed afterwards. */
  readonly session: string;
  /** Name of a session that holds a secret and must not change. */
  readonly bystander: string;
  /** What must stay unseen and unchanged on the host. */
  readonly canaries: Canaries;
  run(language: Language, code: string, more?: RunOptions): Promise<Execution>;
  call(tool: string, args: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Answer>;
}

export interface RunOptions extends RequestOptions {
  /** Seconds. */
  readonly timeout?: number;
  /** The attacker's own if absent. */
  readonly session?: string;
  /** Further arguments of execute_code. */
  readonly args?: Readonly<Record<string, unknown>>;
}

interface Common {
  readonly family: Family;
  readonly name: string;
}

/**
 * One run of code. `$HOST_FILE`, `$HOST_DIRECTORY` (string literals) and `$PORT` in it stand for the canaries.
 */
export interface ProgramAttack extends Common {
  readonly kind: "program";
  readonly language: Language;
  readonly code: string;
  /** Seconds. */
  readonly timeout: number;
  readonly expect: Expectation;
  /** True if it spoils its own interpreter, so that its session may not be asked for its variables afterwards. */
  readonly tampers: boolean;
}

/** Several requests, judged by a function of its own. */
export interface CallsAttack extends Common {
  readonly kind: "calls";
  readonly expected: string;
  /** The language whose interpreter it spoils, as far as its own session is concerned. */
  readonly spoils?: Language;
  /** True if the process that all sessions share ends by it. */
  readonly endsExecutor?: boolean;
  carryOut(stage: Stage): Promise<Finding>;
}

/** Bytes on connections to a server on HTTP, judged by a function of its own. */
export interface HttpAttack extends Common {
  readonly kind: "http";
  readonly expected: string;
  carryOut(door: FrontDoor): Promise<Finding>;
}

/** What is carried out in a session. */
export type SessionAttack = ProgramAttack | CallsAttack;
export type Attack = SessionAttack | HttpAttack;

/** An attack before it is put into its family. */
export type Unfiled =
  | Omit<ProgramAttack, "family">
  | Omit<CallsAttack, "family">
  | Omit<HttpAttack, "family">;

interface ProgramOptions {
  /** Seconds; 20 if absent. */
  readonly timeout?: number;
  readonly tampers?: boolean;
}

const DEFAULT_TIMEOUT = 20;

function program(language: Language) {
  return (name: string, code: string, expect: Expectation, options: ProgramOptions = {}): Unfiled => ({
    kind: "program",
    name,
    language,
    code: dedent(code),
    expect,
    timeout: options.timeout ?? DEFAULT_TIMEOUT,
    tampers: options.tampers ?? false,
  });
}

export const python = program("python");
export const javascript = program("javascript");
export const shell = program("shell");

export function calls(
  name: string,
  expected: string,
  carryOut: CallsAttack["carryOut"],
  more: Pick<CallsAttack, "spoils" | "endsExecutor"> = {},
): Unfiled {
  return { kind: "calls", name, expected, carryOut, ...more };
}

export function http(name: string, expected: string, carryOut: HttpAttack["carryOut"]): Unfiled {
  return { kind: "http", name, expected, carryOut };
}

export function family(name: Family, attacks: readonly Unfiled[]): Attack[] {
  return attacks.map((attack) => ({ ...attack, family: name }));
}

/** The program raises an error whose `Type: message` matches. */
export function raises(error: RegExp): Expectation {
  return { says: `fails with ${error.source}`, status: ["failed"], error };
}

/** The program completes, with exactly this result. */
export function yields(result: string): Expectation {
  return { says: `gets ${result}`, status: ["completed"], result };
}

/** The program, which collects what it could lay hands on in a list, ends with an empty one. */
export const GAINS_NOTHING: Expectation = { ...yields("[]"), says: "gains nothing" };

/** The sandbox ends the program in one of these ways. */
export function ends(...status: string[]): Expectation {
  return { says: `ends as ${status.join(" or ")}`, status };
}

export const TIMES_OUT = ends("timeout");

/** Removes the indentation that the lines have in common, and the blank line before the first. */
export function dedent(code: string): string {
  const lines = code.replace(/^\n/, "").trimEnd().split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const common = Math.min(...indents);
  return lines.map((line) => line.slice(common)).join("\n");
}
