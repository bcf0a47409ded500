/** `git`: a command line that runs in a QuickJS of its own, over the session's files. */

import type { ProgramOutput, SpawnRequest, Surroundings } from "./program.ts";
import { runProcess } from "./process.ts";

export function git(surroundings: Surroundings, request: SpawnRequest): ProgramOutput {
  const { args, cwd, env, stdin } = request;
  const given = [args, { cwd, env }].map((value) => JSON.stringify(value).toWellFormed()).join(", ");
  const code = `process.exit(await globalThis.__wasmboxModules.library("git").main(${given}))`;
  return runProcess(surroundings, request, { language: "git", parts: [{ code, filename: "<git>" }], stdin });
}
