import * as z from "zod";
import { defineTool } from "../tool.ts";
import { execute, executionInput, executionOutput } from "./execute_code.ts";

const input = z.strictObject({
  command: z.string().describe("One command or a script of them, as bash takes it."),
  ...executionInput,
});

export const executeCommand = defineTool({
  name: "execute_command",
  title: "Execute a shell command",
  description: [
    "Runs a bash command or script over the files of a session: pipes, redirections, loops, functions,",
    "grep, sed, awk, jq, find, sort, tar, zip and the like; python3 and node run files of the session.",
    "Variables, functions and the directory (/app at first) stay from call to call.",
    "There is no network and nothing of the host.",
  ].join(" "),
  input,
  output: executionOutput,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run: ({ command, ...args }, context) => execute({ ...args, code: command, language: "shell" }, context),
});
