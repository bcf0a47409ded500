/** Names of sessions and executions: of other shapes, guessed, or somebody else's. */

import { calls, family, type Stage } from "../attack.ts";

/** Every tool that takes a session, with arguments that are otherwise good. */
const TOOLS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  execute_code: { code: "1" },
  execute_command: { command: "true" },
  create_session: {},
  destroy_session: {},
  reset_workspace: {},
  get_workspace_info: {},
  cancel_execution: {},
  read_file: { path: "x" },
  write_file: { path: "x", content: "x" },
  edit_file: { path: "x", edits: [{ old_text: "x", new_text: "y" }] },
  get_execution: { execution_id: "x" },
  list_files: {},
  delete_file: { path: "x" },
  move_file: { from: "x", to: "y" },
  install_package: { package_name: "six" },
  list_packages: {},
};

const CREATING = ["execute_code", "execute_command", "create_session", "write_file", "install_package"];

/** What the tools that make no session answer where there is none of that name. @returns Those that found one. */
async function finding(stage: Stage, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const session_id of ids) {
    for (const [tool, args] of Object.entries(TOOLS)) {
      if (CREATING.includes(tool)) continue;
      const code = await codeOf(stage, tool, { ...args, session_id });
      if (code !== "SESSION_NOT_FOUND") found.push(`${tool}(${session_id}): ${code}`);
    }
  }
  return found;
}

async function codeOf(stage: Stage, tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { fault, isError, structured } = await stage.call(tool, args);
  if (fault) return `fault ${fault.code}`;
  const error = structured["error"] as { error_code?: string } | null | undefined;
  return isError ? error?.error_code ?? "?" : "success";
}

/** Every tool, with an invalid session id. */
function malformed(name: string, ids: readonly unknown[]) {
  return calls(name, "every tool refuses it", async (stage) => {
    const through: string[] = [];
    for (const session_id of ids) {
      for (const [tool, args] of Object.entries(TOOLS)) {
        const code = await codeOf(stage, tool, { ...args, session_id });
        if (code !== "INVALID_ARGUMENTS") {
          through.push(`${tool}(${JSON.stringify(session_id)?.slice(0, 40)}): ${code}`);
        }
      }
    }
    const tried = ids.length * Object.keys(TOOLS).length;
    return { refused: through.length === 0, got: `${tried} tried, through: ${through.join(", ") || "none"}` };
  });
}

/** Something that runs in a session of its own while `attack` tries to hit it. */
async function whileRunning(
  stage: Stage,
  attack: (executionId: string, requestId: number) => Promise<unknown>,
) {
  const session = `${stage.session}_running`;
  const up = Promise.withResolvers<void>();
  let requestId = 0;
  const running = stage.run(
    "python",
    "import time\nprint('up', flush=True)\ntime.sleep(1.5)\n'undisturbed'",
    {
      session,
      onProgress: () => up.resolve(),
      onSent: (id) => requestId = id,
    },
  );
  await Promise.race([up.promise, running]);
  const { structured } = await stage.call("list_sessions", {});
  const sessions = structured["sessions"] as { session_id: string; running: { execution_id: string }[] }[];
  const id = sessions.find(({ session_id }) => session_id === session)?.running[0]?.execution_id ?? "";
  const told = await attack(id, requestId);
  const { status, result } = await running;
  await stage.call("destroy_session", { session_id: session });
  return {
    refused: id !== "" && result === "'undisturbed'",
    got: `${status}, ${result}; ${JSON.stringify(told)}`,
  };
}

export const IDS = family("ids", [
  malformed("session ids that are paths", [
    "../default",
    "/etc/passwd",
    ".",
    "..",
    "a/b",
    "a\\b",
    "%2e%2e",
    "C:",
    "~",
  ]),
  malformed("session ids in other scripts", [
    "\u202edefault",
    "dеfault",
    "ｄefault",
    "default\u200b",
    "é",
    "e\u0301",
    "😀",
    "\ud800",
    "default\0",
    "default\n",
    " default",
    " ",
  ]),
  malformed("session ids that are no text", [1.5, true, {}, [], ["default"], {
    toString: "default",
  }, { $ne: null }]),
  malformed("session ids of great length", ["a".repeat(101), "a".repeat(1_000_000)]),
  calls("session ids that objects have by nature", "no tool finds one", async (stage) => {
    const through = await finding(stage, [
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "null",
      "undefined",
      "0",
      "-1",
    ]);
    return { refused: through.length === 0, got: `through: ${through.join(", ") || "none"}` };
  }),
  calls("a session called __proto__", "is one like any other", async ({ run, call }) => {
    const got: unknown[] = [];
    for (const session of ["__proto__", "constructor"]) {
      const { result, session_created } = await run("python", "x = 1\nx", { session });
      const again = await run("python", "x", { session });
      await call("destroy_session", { session_id: session });
      got.push(result, session_created, again.result, again.session_created);
    }
    return { refused: got.join() === "1,true,1,false,1,true,1,false", got: got.join() };
  }),
  calls("guessed session ids", "no tool finds one", async (stage) => {
    const through = await finding(stage, [
      "admin",
      "root",
      "local",
      "principal",
      "bystander",
      "bystander_00000000",
      "attack_0",
      "session_0000000000000000",
      stage.bystander.toUpperCase(),
      `${stage.bystander}_`,
    ]);
    return { refused: through.length === 0, got: `through: ${through.join(", ") || "none"}` };
  }),
  calls("taking a session that exists", "SESSION_EXISTS", async (stage) => {
    const got = await codeOf(stage, "create_session", { session_id: stage.bystander });
    return { refused: got === "SESSION_EXISTS", got };
  }),
  calls(
    "cancelling by a guessed execution id",
    "nothing is hit",
    (stage) =>
      whileRunning(stage, async (id) => {
        const guesses = [
          "",
          "*",
          "%",
          "1",
          "0",
          "undefined",
          "null",
          "__proto__",
          crypto.randomUUID(),
          id.slice(0, -1),
          id.toUpperCase().replace(/^./, "g"),
          `${id} `,
          "x".repeat(100),
        ];
        const hit: unknown[] = [];
        for (const execution_id of guesses) {
          const { structured } = await stage.call("cancel_execution", { execution_id });
          hit.push(...(structured["cancelled"] as unknown[] | undefined) ?? []);
        }
        return hit;
      }),
  ),
  calls("cancelling an execution of another session", "nothing is hit", async (stage) => {
    await stage.run("python", "1");
    return await whileRunning(stage, async (execution_id) => {
      const { structured } = await stage.call("cancel_execution", {
        execution_id,
        session_id: stage.session,
      });
      return structured["cancelled"];
    });
  }),
  calls(
    "cancelling a request under an id that only looks like its own",
    "nothing is hit",
    (stage) =>
      whileRunning(stage, (_, id) => {
        for (
          const requestId of [String(id), -id, id + 1000, 0, null, true, [id], { id }, `${id}.0`, "__proto__"]
        ) {
          stage.client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
        }
        return stage.call("list_runtimes", {}).then(() => []);
      }),
  ),
]);
