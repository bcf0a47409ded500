/** What scripts ask of the system they run on. The answers are about the session: nothing of the host is known here. */

import type { Command } from "../just_bash.ts";
import { parseOptions } from "./options.ts";
import { command, CommandError, type CommandOutput, type Invocation, type Tools } from "./tools.ts";

const UNAME = {
  s: "Linux",
  n: "wasmbox",
  r: "6.1.0-wasmbox",
  v: "#1 WebAssembly",
  m: "wasm32",
  o: "GNU/Linux",
} as const;
const USER = "user";

export function systemCommands(tools: Tools): Command[] {
  const { fs, host } = tools;
  const kibibytes = (bytes: number) => Math.round(bytes / 1024);
  return [
    command("uname", uname),
    command("id", ({ args }) => {
      const options = parseOptions(args, { flags: [..."ugnGr"] });
      if (options.has("u", "g", "G")) return { stdout: options.has("n") ? `${USER}\n` : "1000\n" };
      return { stdout: `uid=1000(${USER}) gid=1000(${USER}) groups=1000(${USER})\n` };
    }),
    command("whoami", () => ({ stdout: `${USER}\n` })),
    command("logname", () => ({ stdout: `${USER}\n` })),
    command("groups", () => ({ stdout: `${USER}\n` })),
    command("hostname", () => ({ stdout: "wasmbox\n" })),
    command("arch", () => ({ stdout: `${UNAME.m}\n` })),
    command("nproc", () => ({ stdout: "1\n" })),
    command("tty", () => ({ stdout: "not a tty\n", exitCode: 1 })),
    command("ps", () => ({
      stdout: "    PID TTY          TIME CMD\n      1 ?        00:00:00 bash\n      2 ?        00:00:00 ps\n",
    })),
    command("kill", kill),
    command("free", ({ args }) => {
      const unit = parseOptions(args, { flags: [..."bkmgh", "human"] });
      const size = unit.has("b") ? 1 : unit.has("m", "h", "human") ? 1 << 20 : unit.has("g") ? 1 << 30 : 1024;
      const total = Math.round(host.memoryBytes / size);
      const row = (name: string, ...values: number[]) =>
        name.padEnd(8) + values.map((value) => String(value).padStart(12)).join("");
      const head = " ".repeat(8) + ["total", "used", "free"].map((word) => word.padStart(12)).join("");
      return { stdout: `${head}\n${row("Mem:", total, 0, total)}\n${row("Swap:", 0, 0, 0)}\n` };
    }),
    command("df", ({ args }) => {
      parseOptions(args, { flags: [..."hkTaiPm"] });
      const total = kibibytes(fs.quota.maxBytes);
      const used = kibibytes(fs.usage.bytes);
      const percent = `${total === 0 ? 100 : Math.ceil(100 * used / total)}%`;
      const columns = [String(total), String(used), String(total - used), percent];
      const row = columns.map((column, i) => column.padStart([9, 9, 9, 4][i]!)).join(" ");
      return {
        stdout: `Filesystem     1K-blocks      Used Available Use% Mounted on\n${
          "workspace".padEnd(14)
        } ${row} /\n`,
      };
    }),
    command("ulimit", ulimit(tools)),
  ];
}

function uname({ args }: Invocation): CommandOutput {
  const options = parseOptions(args, { flags: [..."asnrvmpio", "all"] });
  const letters = Object.keys(UNAME) as (keyof typeof UNAME)[];
  const wanted = options.has("a", "all") ? letters : letters.filter((letter) => options.has(letter));
  return {
    stdout: `${(wanted.length === 0 ? ["s" as const] : wanted).map((letter) => UNAME[letter]).join(" ")}\n`,
  };
}

/** There is one process, and it may not end itself. */
function kill({ args }: Invocation): CommandOutput {
  const targets = args.filter((arg) => !arg.startsWith("-"));
  if (args.includes("-l")) return { stdout: "HUP INT QUIT KILL TERM\n" };
  const [target] = targets;
  if (target === undefined) throw new CommandError("usage: kill [-s sigspec] pid", 2);
  if (target === "1" && args.includes("-0")) return {};
  throw new CommandError(`(${target}) - ${target === "1" ? "Operation not permitted" : "No such process"}`);
}

/** The bounds are the policy's, and are only told. */
function ulimit({ fs, host }: Tools) {
  return ({ args }: Invocation): CommandOutput => {
    if (args.some((arg) => !arg.startsWith("-"))) {
      throw new CommandError("cannot modify limit: Operation not permitted");
    }
    const values: Readonly<Record<string, number>> = {
      f: Math.round(fs.quota.maxBytes / 1024),
      v: Math.round(host.memoryBytes / 1024),
      n: 1024,
    };
    const letter = args.at(-1)?.at(-1) ?? "f";
    return { stdout: `${values[letter] ?? "unlimited"}\n` };
  };
}
