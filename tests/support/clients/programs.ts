/** Clients that are programs of their own: every call is a new process, with a connection of its own. */

import { fileURLToPath } from "node:url";
import type { Reply } from "../harness.ts";
import type { IndependentClient, Target } from "./target.ts";

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Pinned here and, with all that they need, in deno.lock. */
const INSPECTOR = "npm:@modelcontextprotocol/inspector@1.0.3/cli/build/index.js";
const MCPORTER = "npm:mcporter@0.12.3";

/** Runs a package's program. @returns The JSON that it prints. */
async function json<Printed>(program: string, args: readonly string[]): Promise<Printed> {
  const permissions = [
    "--no-prompt",
    "--allow-read",
    "--allow-env",
    "--allow-sys",
    "--allow-net",
    "--allow-run",
  ];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--frozen", `--config=${file("./deno.json")}`, ...permissions, program, ...args],
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${program} ${args.join(" ")}:\n${text}${new TextDecoder().decode(stderr)}`);
  }
}

interface Tools {
  readonly tools: readonly { readonly name: string }[];
}

const inspector: IndependentClient = {
  name: "the Inspector's command line",
  staysConnected: false,
  connect(target) {
    const server = target.kind === "http" ? [target.url.href, "--transport", "http"] : [target.command];
    const call = ["--method", "tools/call", "--tool-name", "execute_code"];
    return Promise.resolve({
      async list() {
        return names(await json<Tools>(INSPECTOR, [...server, "--method", "tools/list"]));
      },
      async run(code, session) {
        const args = ["--tool-arg", `code=${code}`, "--tool-arg", `session_id=${session}`];
        const printed = await json<{ structuredContent: Reply }>(INSPECTOR, [...server, ...call, ...args]);
        return printed.structuredContent;
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
};

const mcporter: IndependentClient = {
  name: "mcporter",
  staysConnected: false,
  connect(target: Target) {
    const server = target.kind === "http"
      ? ["--http-url", target.url.href, "--allow-http"]
      : ["--stdio", target.command];
    const alone = ["--config", file("./mcporter.json")]; // without what the machine's user has set up
    return Promise.resolve({
      async list() {
        return names(await json<Tools>(MCPORTER, [...alone, "list", ...server, "--json"]));
      },
      run(code, session_id) {
        const call = ["--tool", "execute_code", "--args", JSON.stringify({ code, session_id })];
        return json<Reply>(MCPORTER, [...alone, "call", ...server, ...call, "--output", "json"]);
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  },
};

function names({ tools }: Tools): string[] {
  return tools.map((tool) => tool.name);
}

export const PROGRAMS: readonly IndependentClient[] = [inspector, mcporter];
