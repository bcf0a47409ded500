/** wasmbox's command line. */

import { entry } from "./src/program/entries.ts";
import { spawnExecutor } from "./src/executor/server/spawn.ts";
import { VERSION } from "./src/version.ts";

const HELP = `wasmbox ${VERSION}: runs untrusted Python, JavaScript and shell code for MCP clients

Usage: wasmbox [command]

Commands:
  (none), serve   serve MCP on stdin and stdout
                  --config PATH: mcp.toml, or a directory with it and policy.toml
                  --policy FILE: limits for guests, see config/policy.toml
                  --http, --stdio: serve MCP over HTTP, at http://127.0.0.1:8080/mcp, or on stdin and stdout
                  --host ADDRESS, --port PORT: where to listen
                  --enable-cors: let web pages call, those of this machine if no token is asked for
                  --token-file FILE: who may call, as lines "name=token"; or WASMBOX_AUTH_TOKENS="name=token,…"
                  --allow-unauthenticated: let other machines run code without a token
                  --log-level LEVEL: debug, info, warning or error
                  --persist, --store DIRECTORY: keep sessions on the disk, so that they outlive the server
                  --volume HOST:/data/NAME[:rw] …: directories of the host that programs may read, or also write
                  --external-files FILE …: files of the host that programs may read, below /external
  config          check the configuration, print what holds and where it comes from
                  --json: as JSON; and the flags of serve
  doctor          check the installation and run one line in each language
  selftest        attack a server of its own with every known attack, and check the assets
                  --json: the report as JSON
  licenses        print the licences of all that is embedded
  --version       print the version
  --help          print this help
`;

type Flags = Readonly<Record<string, "value" | "values" | "switch">>;

const SERVE_FLAGS: Flags = {
  config: "value",
  policy: "value",
  stdio: "switch",
  http: "switch",
  host: "value",
  port: "value",
  "enable-cors": "switch",
  "token-file": "value",
  "allow-unauthenticated": "switch",
  "log-level": "value",
  persist: "switch",
  store: "value",
  volume: "values",
  "external-files": "values",
};

/** What each command can be told, by the command. */
const FLAGS: Readonly<Record<string, Flags>> = {
  serve: SERVE_FLAGS,
  config: { ...SERVE_FLAGS, json: "switch" },
  selftest: { json: "switch" },
};

/** Modules of the commands: each takes a while to load, and only one is needed. */
const load = {
  stdio: (): Promise<typeof import("./src/commands/serve_stdio.ts")> => import(entry("serve_stdio").href),
  http: (): Promise<typeof import("./src/commands/serve_http.ts")> => import(entry("serve_http").href),
  maintain: (): Promise<typeof import("./src/commands/maintain.ts")> => import(entry("maintain").href),
};

async function run(args: readonly string[]): Promise<number> {
  const [command = "serve", ...rest] = args;
  const flags = FLAGS[command] ? takeFlags(rest, FLAGS[command]) : {};
  if (rest.length > 0) return usageError(`unexpected argument "${rest[0]}"`);
  switch (command) {
    case "serve": {
      const executor = spawnExecutor(); // it starts while the rest of the server loads
      const { serve } = await (flags["http"] ? load.http() : load.stdio());
      const served = await serve(flags, executor);
      if (typeof served === "number") return served;
      return Number(await (await load[served]()).serve(flags, executor));
    }
    case "config":
      return await (await load.maintain()).config(flags);
    case "doctor":
      return await (await load.maintain()).doctor() ? 0 : 1;
    case "selftest":
      return await (await load.maintain()).selftest({ json: flags["json"] === true }) ? 0 : 1;
    case "licenses":
      await (await load.maintain()).licenses();
      return 0;
    case "executor": // started by the server itself
      await import(entry("executor").href);
      return 0;
    case "--version":
    case "-V":
      console.log(`wasmbox ${VERSION}`);
      return 0;
    case "--help":
    case "-h":
      console.log(HELP);
      return 0;
    default:
      return usageError(`unknown command "${command}"`);
  }
}

/**
 * Takes `--name`, `--name VALUE`, `--name=VALUE` and `--name VALUE VALUE …` off the arguments, up to the first that is
 * something else. Several values become a list of JSON.
 */
function takeFlags(args: string[], known: Flags): Record<string, string | boolean> {
  const taken: Record<string, string | boolean> = {};
  const lists: Record<string, unknown[]> = {};
  for (
    let [, name, value] = flag(args[0]);
    name !== undefined && Object.hasOwn(known, name);
    [, name, value] = flag(args[0])
  ) {
    const takesValue = known[name] !== "switch";
    if (takesValue ? value === undefined && args.length < 2 : value !== undefined) break;
    const given = args.splice(0, takesValue && value === undefined ? 2 : 1);
    taken[name] = takesValue ? value ?? given[1]! : true;
    if (known[name] === "values") {
      const end = args.findIndex((arg) => arg.startsWith("-"));
      const more = args.splice(0, end < 0 ? args.length : end);
      lists[name] = [...lists[name] ?? [], taken[name], ...more];
      taken[name] = JSON.stringify(lists[name]);
    }
  }
  return taken;
}

function flag(arg: string | undefined): RegExpExecArray | [] {
  return /^--([a-z-]+)(?:=(.*))?$/s.exec(arg ?? "") ?? [];
}

function usageError(message: string): number {
  console.error(`wasmbox: ${message}\nTry "wasmbox --help".`);
  return 2;
}

Deno.exit(await run(Deno.args));
