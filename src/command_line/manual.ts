/** The manual page, in the macros of man(7), written from the table of commands. */

import { VERSION } from "../version.ts";
import { COMMAND_NAMES, commandOf } from "./commands.ts";
import { ABOUT, flagLines, usageOf } from "./help.ts";

const EXIT_CODES: readonly (readonly [string, string])[] = [
  ["0", "all went well"],
  ["1", "something failed, as stderr says"],
  ["2", "the command line or the configuration has a mistake"],
  ["other", "that of the program that run ran: 124 after its time, 130 when it was interrupted"],
];

const PLACES: readonly (readonly [string, string])[] = [
  ["~/.config/wasmbox/mcp.toml, /etc/wasmbox/mcp.toml", "the configuration of the server"],
  ["~/.config/wasmbox/policy.toml, /etc/wasmbox/policy.toml", "limits for guests"],
];

const VARIABLES: readonly (readonly [string, string])[] = [
  ["WASMBOX_CONFIG, WASMBOX_POLICY", "where those files are"],
  ["WASMBOX_AUTH_TOKENS", 'who may call over HTTP, as "name=token,…"'],
  ["WASMBOX_POLICY_TIMEOUT_SECONDS …", "each key of the files has a variable; wasmbox config shows all keys"],
];

export function manual(): string {
  return [
    `.TH WASMBOX 1 "" "wasmbox ${VERSION}" "User Commands"`,
    ".SH NAME",
    text(`wasmbox \\- ${ABOUT}`),
    ".SH SYNOPSIS",
    ".B wasmbox",
    text("[COMMAND] [FLAG …]"),
    ".SH DESCRIPTION",
    text("Gives any MCP client a place to run code that it does not trust: Python, JavaScript and a shell,"),
    text("compiled to WebAssembly, in sessions that keep their variables and files from call to call."),
    text("Without a command it serves MCP on stdin and stdout."),
    ".SH COMMANDS",
    ...COMMAND_NAMES.flatMap((name) => {
      const { summary, notes = [] } = commandOf(name);
      return [
        `.SS "${quoted(usageOf(name))}"`,
        text(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`),
        ...flagLines(name).flatMap(entry),
        ...notes.length > 0 ? [".PP", ...notes.map((note) => `${text(note)}\n.br`)] : [],
      ];
    }),
    ".SH FILES",
    ...PLACES.flatMap(entry),
    ".SH ENVIRONMENT",
    ...VARIABLES.flatMap(entry),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(entry),
  ].join("\n");
}

function entry([term, meaning]: readonly [string, string]): string[] {
  return [".TP", `.B ${quoted(term)}`, text(meaning)];
}

/** As roff takes it for text: a dash is one, and no line begins with a command. */
function text(line: string): string {
  return line.replaceAll(/(?<!\\)-/g, "\\-").replace(/^([.'])/, "\\&$1").replaceAll("…", "...");
}

function quoted(line: string): string {
  return text(line.replaceAll("\\", "\\e")).replaceAll('"', "\\(dq");
}
