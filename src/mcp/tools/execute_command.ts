import * as z from "zod";
import { defineTool } from "../tool.ts";
import { executionOutput } from "../execution_reply.ts";
import { execute, executionInput } from "./execute_code.ts";

const input = z.strictObject({
  command: z.string(),
  ...executionInput,
});

export const executeCommand = defineTool({
  name: "execute_command",
  title: "Execute a shell command",
  description: [
    "Runs a bash command or script over the session's files, with grep, sed, awk, jq, find, tar, zip and the like, python3, node, pip and npm.",
    "Variables, functions and the directory stay. No network (git is local), nothing of the host.",
  ].join(" "),
  input,
  output: executionOutput,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  showsResult: true,
  takesTasks: true,
  run: ({ command, ...args }, context) => execute({ ...args, code: command, language: "shell" }, context),
});
