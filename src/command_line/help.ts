/** What the program says of itself. */

import { VERSION } from "../version.ts";
import { COMMAND_NAMES, type CommandName, commandOf } from "./commands.ts";
import { shown } from "./parse.ts";

export const ABOUT = "runs untrusted Python, JavaScript and shell code for MCP clients";

/** The whole program's help. */
export function help(): string {
  return [
    `wasmbox ${VERSION}: ${ABOUT}`,
    "",
    "Usage: wasmbox [COMMAND] [FLAG …]",
    "",
    "Commands:",
    ...columns(COMMAND_NAMES.map((name) => [name, commandOf(name).summary])),
    "",
    '"wasmbox help COMMAND" has the flags. Without a command it serves: "wasmbox --http" is "wasmbox serve --http".',
    'Connect a client by "wasmbox install --client NAME", or try it by "wasmbox repl".',
  ].join("\n");
}

export function helpOf(name: CommandName): string {
  const { summary, notes = [] } = commandOf(name);
  const flags = flagLines(name);
  return [
    `${usageOf(name)}: ${summary}`,
    ...flags.length > 0 ? ["", "Flags:", ...columns(flags)] : [],
    ...notes.length > 0 ? ["", ...notes] : [],
  ].join("\n");
}

export function usageOf(name: CommandName): string {
  const { operands, flags } = commandOf(name);
  return ["wasmbox", name, ...Object.keys(flags).length > 0 ? ["[FLAG …]"] : [], operands?.usage]
    .filter((part) => part !== undefined).join(" ");
}

/** Each flag as it is written, and what it does. */
export function flagLines(name: CommandName): [string, string][] {
  return Object.entries(commandOf(name).flags).map(([flag, about]) => {
    const { takes, choices, help } = about;
    const more = choices ? `: ${choices.slice(0, 8).join(", ")}` : "";
    return [`${shown(flag, about)}${takes === "values" ? " …" : ""}`, help + more];
  });
}

/** What someone who starts it by hand should know. @param command How this program is started. */
export function greeting(command: string): string {
  return [
    `wasmbox ${VERSION} ${ABOUT}.`,
    "",
    "It is started by a client, which speaks MCP with it on stdin and stdout; there is nobody here who does.",
    "To connect one:",
    "",
    "  wasmbox install                     which clients are here",
    "  wasmbox install --client NAME       writes it into that client's configuration",
    `  claude mcp add wasmbox -- ${command}`,
    "",
    "To try it: wasmbox repl, wasmbox run FILE. To serve many clients: wasmbox --http. More: wasmbox help.",
  ].join("\n");
}

const MOST = 34;

/** Two columns; what is too long for the first has a line of its own. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= MOST), 0);
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, `  ${" ".repeat(width)}  ${right}`]
      : [`  ${left.padEnd(width)}  ${right}`]
  );
}
