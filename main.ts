/** wasmbox's command line. */

import { greeting, help, helpOf } from "./src/command_line/help.ts";
import {
  type CommandLine,
  isCommand,
  isUsageError,
  parseCommandLine,
  unknownCommand,
} from "./src/command_line/parse.ts";
import { entry } from "./src/program/entries.ts";
import { spawnExecutor } from "./src/executor/server/spawn.ts";
import { VERSION } from "./src/version.ts";

/** Modules of the commands: each takes a while to load, and only one is needed. */
const load = {
  stdio: (): Promise<typeof import("./src/commands/serve_stdio.ts")> => import(entry("serve_stdio").href),
  http: (): Promise<typeof import("./src/commands/serve_http.ts")> => import(entry("serve_http").href),
  maintain: (): Promise<typeof import("./src/commands/maintain.ts")> => import(entry("maintain").href),
  by_hand: (): Promise<typeof import("./src/commands/by_hand/mod.ts")> => import(entry("by_hand").href),
};

/** @returns The exit code. */
async function run({ command, flags, operands }: CommandLine): Promise<number> {
  switch (command) {
    case "serve": {
      const executor = spawnExecutor(); // it starts while the rest of the server loads
      const { serve } = await (flags["http"] ? load.http() : load.stdio());
      const served = await serve(flags, executor);
      if (typeof served === "number") return served;
      return Number(await (await load[served]()).serve(flags, executor));
    }
    case "run":
    case "repl":
      return await (await load.by_hand())[command](flags, operands);
    case "install":
      return await (await load.maintain()).install(flags, operands);
    case "config":
      return await (await load.maintain()).config(flags);
    case "doctor":
      return await (await load.maintain()).doctor(flags) ? 0 : 1;
    case "selftest":
      return await (await load.maintain()).selftest({ json: flags["json"] === true }) ? 0 : 1;
    case "licenses":
      await (await load.maintain()).licenses();
      return 0;
    case "completions":
      console.log((await load.maintain()).completions(operands[0]));
      return 0;
    case "man":
      console.log((await load.maintain()).manual());
      return 0;
    case "version":
      console.log(`wasmbox ${VERSION}`);
      return 0;
    case "help": {
      const [name] = operands;
      if (name !== undefined && !isCommand(name)) throw unknownCommand(name);
      console.log(name === undefined ? help() : helpOf(name));
      return 0;
    }
  }
}

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "executor") { // started by the server itself
    await import(entry("executor").href);
    return 0;
  }
  if (args.length === 0 && Deno.stdin.isTerminal()) {
    console.log(greeting(Deno.build.standalone ? Deno.execPath() : "/path/to/wasmbox"));
    return 0;
  }
  try {
    return await run(parseCommandLine(args));
  } catch (error) {
    if (!isUsageError(error)) throw error;
    const { message, command } = error;
    console.error(`wasmbox: ${message}\nTry "wasmbox help${command ? ` ${command}` : ""}".`);
    return 2;
  }
}

// What a server does about rejections that nobody waits for must not keep one alive that has failed.
Deno.exit(
  await main(Deno.args).catch((error: unknown) => {
    console.error(error);
    return 1;
  }),
);
