/** `wasmbox install`: writes this program into the configuration of an MCP client, and takes it out again. */

import { createTwoFilesPatch } from "diff";
import * as z from "zod/mini";
import { LAUNCHER } from "../../config/environment.ts";
import { CLIENT_NAMES } from "../../command_line/commands.ts";
import { type FlagValues, parseCommandLine, UsageError } from "../../command_line/parse.ts";
import { STANDALONE } from "../../program/entries.ts";
import { type Client, type ClientName, CLIENTS, type Invocation } from "./clients.ts";
import { ConfigFile } from "./config_file.ts";
import { InstallError } from "./errors.ts";
import { JsonServers } from "./json_servers.ts";
import { type Entry, entryIn, type Servers, withEntry } from "./servers.ts";
import { TomlServers } from "./toml_servers.ts";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** What is to be changed, and how. */
interface Job {
  readonly client: Client;
  readonly servers: Servers;
  readonly file: ConfigFile;
  readonly name: string;
  readonly dryRun: boolean;
}

/** @returns The exit code. @throws {UsageError} */
export async function install(flags: FlagValues, operands: readonly string[]): Promise<number> {
  const asked = flags["client"] as ClientName | undefined;
  if (asked === undefined) {
    if (Object.keys(flags).length > 0) {
      throw new UsageError(`which client? --client is one of ${CLIENT_NAMES.join(", ")}`, "install");
    }
    await listClients();
    return 0;
  }
  const name = String(flags["name"] ?? "wasmbox");
  if (!NAME.test(name)) {
    throw new UsageError(`--name can't be "${name}": it is of letters, digits, "-" and "_"`, "install");
  }
  checkServeFlags(operands);
  const client = CLIENTS[asked];
  const path = flags["file"] as string | undefined ?? client.path(Deno.env.toObject(), Deno.build.os);
  if (path === undefined) {
    console.error(
      `wasmbox: where ${client.title} keeps its settings can't be told without HOME; say --file FILE`,
    );
    return 1;
  }
  const invocation = invocationOf(operands);
  const entry = { ...client.fields, command: invocation.command, args: [...invocation.args] };
  try {
    const file = await ConfigFile.open(path);
    const job = { client, servers: serversOf(client), file, name, dryRun: flags["dry-run"] === true };
    await (flags["undo"] ? undo(job) : add(job, entry));
    return 0;
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    console.error(`wasmbox: ${path} was left as it is: ${error.message}.`);
    if (!flags["undo"]) {
      console.error(`What ${client.title} needs, in "${client.section}":\n${byHand(name, entry)}`);
    }
    return 1;
  }
}

/** @throws {UsageError} if the client could not start it so. */
function checkServeFlags(operands: readonly string[]): void {
  const { command, flags } = parseCommandLine(["serve", ...operands]);
  if (command !== "serve") throw new UsageError("what follows -- is for serve", "install");
  if (flags["http"]) {
    throw new UsageError("a client that starts wasmbox speaks with it on stdio: leave out --http", "install");
  }
}

/** How this program is started. */
function invocationOf(operands: readonly string[]): Invocation {
  const args = operands.length > 0 ? ["serve", ...operands] : [];
  if (STANDALONE) return { command: Deno.execPath(), args };
  const launcher = launcherOf(Deno.env.get(LAUNCHER));
  if (launcher) return { command: launcher.command, args: [...launcher.args, ...args] };
  const permissions = ["read", "write", "net", "env", "run", "sys"].map((name) => `--allow-${name}`);
  const [main, config] = ["../../../main.ts", "../../../deno.json"].map((path) =>
    decodeURIComponent(new URL(path, import.meta.url).pathname)
  );
  return {
    command: Deno.execPath(),
    args: ["run", "--quiet", "--no-prompt", `--config=${config}`, ...permissions, main!, ...args],
  };
}

const launcherSchema = z.object({ command: z.string(), args: z.array(z.string()) });

/** How a package of npm or of PyPI says that it is started. */
function launcherOf(text: string | undefined): Invocation | undefined {
  try {
    return launcherSchema.safeParse(JSON.parse(text ?? "")).data;
  } catch {
    return undefined;
  }
}

async function add(job: Job, entry: Entry): Promise<void> {
  const { client, servers, file, name } = job;
  const before = entryIn(servers, file.text, name);
  const text = withEntry(servers, file.text, name, entry);
  if (text === file.text) {
    console.log(`${client.title} has "${name}" already, as it should be: ${file.path}`);
    return;
  }
  if (showIfDry(job, text)) return;
  const backup = await file.keep("backup");
  await file.replace(new TextEncoder().encode(text));
  console.log(`${before ? "Changed" : "Added"} "${name}" in ${file.path}`);
  if (backup !== undefined) console.log(`What was there before: ${backup}`);
  console.log(`${client.then} To undo: wasmbox install --client ${nameOf(client)} --undo`);
}

async function undo(job: Job): Promise<void> {
  const { client, servers, file, name } = job;
  const entry = entryIn(servers, file.text, name);
  if (entry === undefined) {
    console.log(`${client.title} has no "${name}": there is nothing to undo in ${file.path}`);
    return;
  }
  const backup = await file.newestBackup();
  const isOurs = file.text === withEntry(servers, backup?.text ?? "", name, ownFields(entry, client));
  if (isOurs) return await goBack(job, backup);
  // Others have changed the file since: only this entry goes back.
  const former = backup && entryIn(servers, backup.text, name);
  const text = withEntry(servers, withEntry(servers, file.text, name, undefined), name, former);
  if (showIfDry(job, text)) return;
  const kept = await file.keep("undo");
  await file.replace(new TextEncoder().encode(text));
  console.log(
    `${
      former ? "Put back the former" : "Took out"
    } "${name}" in ${file.path}; what was there before: ${kept}`,
  );
}

/** Nothing but this was changed: the file becomes what it was, byte for byte. */
async function goBack(job: Job, backup: ConfigFile | undefined): Promise<void> {
  const { file } = job;
  if (showIfDry(job, backup?.text ?? "")) return;
  if (backup?.bytes === undefined) {
    await file.remove();
    console.log(`Removed ${file.path}, which wasmbox had made`);
    return;
  }
  await file.replace(backup.bytes);
  await backup.remove();
  console.log(`${file.path} is what it was before`);
}

/** What {@link add} writes of an entry. */
function ownFields(entry: Entry, { fields }: Client): Entry {
  const keys = [...Object.keys(fields), "command", "args"];
  return Object.fromEntries(Object.entries(entry).filter(([key]) => keys.includes(key)));
}

/** @returns Whether nothing more is to be done. */
function showIfDry({ dryRun, file }: Job, text: string): boolean {
  if (!dryRun) return false;
  const patch = createTwoFilesPatch(file.path, file.path, file.text, text, "now", "then");
  console.log(patch.slice(patch.indexOf("--- ")).trimEnd());
  return true;
}

async function listClients(): Promise<void> {
  console.log("wasmbox install --client NAME writes this program into a client's configuration:\n");
  for (const name of CLIENT_NAMES) {
    const client = CLIENTS[name];
    const path = client.path(Deno.env.toObject(), Deno.build.os);
    console.log(`  ${name.padEnd(15)} ${(await stateOf(client, path)).padEnd(12)} ${path ?? ""}`);
  }
  console.log("\n--dry-run shows what would change, --undo takes it back.");
}

async function stateOf(client: Client, path: string | undefined): Promise<string> {
  if (path === undefined) return "not here";
  try {
    const { bytes, text } = await ConfigFile.open(path);
    if (bytes !== undefined) return entryIn(serversOf(client), text, "wasmbox") ? "has wasmbox" : "is here";
    const { isDirectory } = await Deno.stat(path.slice(0, path.lastIndexOf("/")));
    return isDirectory && !path.endsWith("/.claude.json") ? "is here" : "not here";
  } catch (error) {
    return error instanceof InstallError ? "unreadable" : "not here";
  }
}

function serversOf({ format, section }: Client): Servers {
  return format === "toml" ? new TomlServers(section) : new JsonServers(section, format !== "json");
}

function nameOf(client: Client): ClientName {
  return CLIENT_NAMES.find((name) => CLIENTS[name] === client)!;
}

function byHand(name: string, entry: Entry): string {
  return JSON.stringify({ [name]: entry }, null, 2).split("\n").slice(1, -1).join("\n");
}
