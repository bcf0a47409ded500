/** Commands that have to do with how a script runs: `timeout`, `trap`, `yes`. */

import { type Command, defineCommand } from "../just_bash.ts";
import { Stopped } from "../../../control/stop_sign.ts";
import { command, CommandError, result, type Tools } from "./tools.ts";

const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };
/** Exit codes of GNU timeout. */
const TIMED_OUT = 124;
const BAD_USAGE = 125;
/** What `yes` prints: pipes hand over whole outputs, so it must have an end. */
const YES_BYTES = 4 * 1024 * 1024;
const SIGNALS = new Set(["INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "PIPE", "ERR", "DEBUG", "RETURN"]);

export function flowCommands(tools: Tools): Command[] {
  return [timeout(tools), trap(tools), yes()];
}

function timeout({ stop }: Tools): Command {
  return defineCommand("timeout", async (args, context) => {
    const rest = [...args];
    while (rest[0]?.startsWith("-")) {
      const option = rest.shift()!;
      if (["-s", "-k", "--signal", "--kill-after"].includes(option)) rest.shift();
    }
    const [duration, name, ...more] = rest;
    const [, number, unit] = /^(\d*\.?\d+)([smhd]?)$/.exec(duration ?? "") ?? [];
    if (number === undefined || name === undefined) {
      return result({ stderr: `timeout: invalid time interval '${duration ?? ""}'\n`, exitCode: BAD_USAGE });
    }
    const seconds = Number(number) * UNITS[unit ?? ""]!;
    const quoted = `'${name.replaceAll("'", `'\\''`)}'`;
    // Zero is no bound, as with GNU's.
    const ms = seconds === 0 ? Infinity : seconds * 1000;
    const { late, value } = await stop.within(ms, async () => {
      try {
        return await context.exec!(quoted, {
          cwd: context.cwd,
          env: context.exportedEnv ?? {},
          stdin: context.stdin as unknown as string,
          stdinKind: "bytes",
          args: more,
        });
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        return undefined;
      }
    });
    if (!late && value) return value;
    stop.check();
    return { ...value ?? result({}), exitCode: TIMED_OUT };
  });
}

/** `EXIT` only: signals reach no script here. */
function trap({ run }: Tools): Command {
  return command("trap", ({ args }) => {
    const words = args[0] === "--" ? args.slice(1) : args;
    const { exitTrap } = run();
    if (words.length === 0 || words[0] === "-p") {
      return {
        stdout: exitTrap === undefined ? "" : `trap -- '${exitTrap.replaceAll("'", `'\\''`)}' EXIT\n`,
      };
    }
    const [action = "", ...signals] = words.length === 1 ? ["-", ...words] : words;
    for (const signal of signals) {
      const name = signal.toUpperCase().replace(/^SIG/, "");
      if (name === "EXIT" || name === "0") run().exitTrap = action === "-" ? undefined : action;
      else if (!SIGNALS.has(name) && !/^\d+$/.test(name)) {
        throw new CommandError(`${signal}: invalid signal specification`);
      }
    }
    return {};
  });
}

function yes(): Command {
  return command("yes", ({ args }) => {
    const line = `${args.length === 0 ? "y" : args.join(" ")}\n`;
    return { stdout: line.repeat(Math.max(1, Math.floor(YES_BYTES / line.length))) };
  });
}
