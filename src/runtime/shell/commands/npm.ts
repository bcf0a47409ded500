/** `npm`: what of it brings packages, as install_package does, and shows and removes them. */

import * as z from "zod/mini";
import { FsError } from "../../../fs/file_system.ts";
import { listNpm, runNpm } from "../../npm/npm.ts";
import type { NpmCommand, NpmReport } from "../../../executor/wire/npm_command.ts";
import { textOf } from "../bytes.ts";
import type { Command } from "../just_bash.ts";
import { Output } from "./interpreter.ts";
import { command, CommandError, type CommandOutput, type Invocation, type Tools } from "./tools.ts";

const INSTALL = new Set(["install", "i", "add", "ci", "update", "up"]);
const UNINSTALL = new Set(["uninstall", "un", "remove", "rm"]);
const LIST = new Set(["ls", "list", "ll"]);

const packageJson = z.object({ dependencies: z.optional(z.record(z.string(), z.string())) });

export function npmCommands(tools: Tools): Command[] {
  return [command("npm", (invocation) => npm(tools, invocation))];
}

function npm(tools: Tools, invocation: Invocation): CommandOutput {
  const [verb = "", ...rest] = invocation.args.filter((arg) => !arg.startsWith("-"));
  if (INSTALL.has(verb)) {
    const requirements = rest.length > 0 ? rest : wantedBy(tools, invocation.path("package.json"));
    return run(tools, { kind: "install", requirements, upgrade: verb.startsWith("up") });
  }
  if (UNINSTALL.has(verb) && rest.length > 0) return run(tools, { kind: "uninstall", names: rest });
  if (LIST.has(verb)) {
    const lines = listNpm(tools.host).map(({ name, version }) => `${name}@${version}\n`);
    return { stdout: lines.join("") || "(empty)\n" };
  }
  throw new CommandError(
    "there are install, uninstall, update and ls here. Packages are for all programs of the session",
  );
}

function run(tools: Tools, command: NpmCommand): CommandOutput {
  const output = new Output();
  const write = (stream: "stdout" | "stderr", bytes: Uint8Array) => output.write(stream, bytes);
  const outcome = runNpm({ ...tools.host, write }, command);
  const stderr = new TextDecoder().decode(output.bytes("stderr"));
  if (outcome.status !== "completed") return { stdout: output.bytes("stdout"), stderr, exitCode: 130 };
  const report: NpmReport = JSON.parse(outcome.result ?? "{}");
  if (report.error) {
    return {
      stdout: output.bytes("stdout"),
      stderr: `${stderr}npm error: ${report.error.message}\n`,
      exitCode: 1,
    };
  }
  const { installed, removed } = report;
  const done = `added ${installed.length}, removed ${removed.length}\n`;
  return { stdout: new TextDecoder().decode(output.bytes("stdout")) + done, stderr };
}

/** @throws {CommandError} if there is no such file, or it is not one of npm's. */
function wantedBy({ fs }: Tools, path: string): string[] {
  try {
    const { dependencies = {} } = packageJson.parse(JSON.parse(textOf(fs.readFile(path))));
    return Object.entries(dependencies).map(([name, spec]) => `${name}@${spec}`);
  } catch (error) {
    if (error instanceof FsError) throw new CommandError(`there is no ${path} that says what to install`);
    throw new CommandError(`${path} is not a package.json`);
  }
}
