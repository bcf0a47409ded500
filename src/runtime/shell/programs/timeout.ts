/** `timeout`: a command in a shell of its own, which is stopped when its time is over, whatever program it runs. */

import { ExitCode } from "../../../exit_code.ts";
import type { ShellCommandOutcome } from "../../runtime.ts";
import { quoted } from "../quoted.ts";
import type { Steps } from "../../steps.ts";
import { heldInput } from "./held_input.ts";
import type { ProgramInSteps, ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { ProgramError } from "./program_error.ts";
import { hostOf, NO_FUEL, type Outlet, Output, withFuel } from "./process.ts";

const MS: Readonly<Record<string, number>> = { "": 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIGNALS: Readonly<Record<string, number>> = { HUP: 1, INT: 2, QUIT: 3, KILL: 9, TERM: 15 };
/** As GNU's ends when it could not start anything. */
const FAILED = 125;
const KILL = 9;
/** What may have handlers gets the signal; by then it is stopped whatever it does. */
const GRACE_MS = 1000;
const HANDLING: ReadonlySet<string> = new Set(["bash", "sh", "dash", "python", "python3", "node"]);
const mayHandle = ({ ms, command }: Order): boolean => {
  const name = command[0]!.replace(/^(\/usr)?\/bin\//, "");
  // A path is that of a script, as a rule.
  return ms > 0 && (HANDLING.has(name) || name.includes("/"));
};

interface Order {
  readonly ms: number;
  /** After so much more it is killed, if it is to be. */
  readonly killAfterMs: number | undefined;
  readonly signal: number;
  readonly preserveStatus: boolean;
  readonly command: readonly string[];
}

/** Of a program that can leave its stack it is the time that it has. @param others What can. */
export function* timeout(
  surroundings: Surroundings,
  request: SpawnRequest,
  others: (name: string) => ProgramInSteps | undefined,
): Steps<ProgramOutput> {
  const { fiber } = request;
  const order = parse(request.args);
  const [name = "", ...args] = order.command;
  const program = fiber && others(name);
  if (program) {
    if (order.ms > 0) fiber.endAfter({ ...order, lateCode: lateCode(order) }, surroundings.host.clock);
    return yield* program(surroundings, { ...request, name, args });
  }
  return inShell(surroundings, { ...request, stdin: yield* heldInput(surroundings, request, false) }, order);
}

function inShell(surroundings: Surroundings, request: SpawnRequest, order: Order): ProgramOutput {
  const output: Outlet = request.fiber ?? new Output(request);
  const host = hostOf(surroundings, output.write);
  const name = new Uint8Array(8);
  host.random(name);
  const input = `/tmp/.timeout-${name.toHex()}`;
  const given = request.stdin.all();
  host.fs.writeFile(input, given);
  let outcome: ShellCommandOutcome | undefined;
  try {
    outcome = withFuel(surroundings, (budget) =>
      surroundings.runnerFor(host)({
        script: scriptOf(order, request, input),
        capture: false,
        ...(order.ms > 0 && { timeoutMs: order.ms + (mayHandle(order) ? GRACE_MS : 0) }),
        ...budget,
      }));
  } finally {
    host.fs.rm(input, { force: true });
  }
  // What the command made of it can't be seen.
  request.unread?.(given);
  if (!outcome) return output.ended(NO_FUEL);
  return output.ended({ exitCode: outcome.ending === "timed_out" ? lateCode(order) : outcome.exitCode });
}

function lateCode({ signal, preserveStatus }: Order): number {
  return preserveStatus || signal === KILL ? 128 + signal : ExitCode.timedOut;
}

function parse(args: readonly string[]): Order {
  let at = 0;
  let signal = SIGNALS["TERM"]!;
  let killAfterMs: number | undefined;
  let preserveStatus = false;
  for (; args[at]?.startsWith("-"); at++) {
    const arg = args[at]!;
    const [, long, short] = /^(?:--(signal|kill-after)(?==|$)|-([sk]))/.exec(arg) ?? [];
    if (long !== undefined || short !== undefined) {
      const attached = long === undefined ? arg.slice(2) : arg.split("=").slice(1).join("=");
      const value = attached || args[++at];
      if (value === undefined) {
        throw new ProgramError(`option requires an argument -- '${long ?? short}'`, FAILED);
      }
      if ((long ?? short)!.startsWith("s")) signal = signalOf(value);
      else killAfterMs = millisecondsOf(value);
    } else if (arg === "--preserve-status" || arg === "-p") preserveStatus = true;
    else if (arg === "--") {
      at++;
      break;
    } else if (!["--foreground", "-f", "--verbose", "-v"].includes(arg)) {
      throw new ProgramError(`unrecognized option '${arg}'`, FAILED);
    }
  }
  const [duration, ...command] = args.slice(at);
  if (duration === undefined || command.length === 0) throw new ProgramError("missing operand", FAILED);
  return { ms: millisecondsOf(duration), killAfterMs, signal, preserveStatus, command };
}

function millisecondsOf(text: string): number {
  const [, number, unit = ""] = /^(\d+\.?\d*|\.\d+)([smhd]?)$/.exec(text) ?? [];
  if (number === undefined) throw new ProgramError(`invalid time interval '${text}'`, FAILED);
  return Number(number) * MS[unit]!;
}

function signalOf(text: string): number {
  const signal = SIGNALS[text.toUpperCase().replace(/^SIG/, "")] ?? Number(text);
  if (!(signal >= 1 && signal <= 64)) throw new ProgramError(`${text}: invalid signal`, FAILED);
  return signal;
}

/** In a subshell, which has its input from a file. */
function scriptOf(order: Order, { cwd, env }: SpawnRequest, input: string): string {
  const exports = Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quoted(value)}`);
  const words = order.command.map(quoted).join(" ");
  const run = mayHandle(order) ? signalled(order, `${words} <${input}`) : [`( ${words} ) <${input}`];
  return [`cd ${quoted(cwd)}`, ...exports, ...run].join("\n");
}

/** The command as a job, which another sends the signal: to it, and to what it waits for, if it is a shell. */
function signalled(order: Order, command: string): string[] {
  const { ms, killAfterMs, signal, preserveStatus } = order;
  const after = (delay: number, kill: string) => `( sleep ${delay / 1000}; ${kill} ) 2>/dev/null & `;
  return [
    `${command} & command=$!`,
    `${after(ms, `kill -${signal} -- -$command`)} timer=$!`,
    ...(killAfterMs === undefined ? [] : [`${after(ms + killAfterMs, "kill -KILL $command")} killer=$!`]),
    "wait $command; code=$?",
    // A timer that has ended has sent its signal.
    `kill -0 $timer 2>/dev/null || [ $code = ${128 + KILL} ] || code=${
      preserveStatus ? "$code" : lateCode(order)
    }`,
    "kill -KILL $timer $killer 2>/dev/null",
    "exit $code",
  ];
}
