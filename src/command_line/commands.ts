/** The commands and their flags: one table, by which they are parsed, explained and completed. */

/** What a flag is: with one value, with several, or with none. */
export interface Flag {
  readonly takes?: "value" | "values";
  /** What its value is called. */
  readonly value?: string;
  /** What its value can be, where that is a short list. */
  readonly choices?: readonly string[];
  /** One letter that stands for it. */
  readonly short?: string;
  readonly help: string;
}

export type FlagTable = Readonly<Record<string, Flag>>;

export interface Command {
  readonly summary: string;
  /** What comes after the flags. */
  readonly operands?: {
    readonly usage: string;
    readonly least?: number;
    readonly most: number;
    readonly choices?: readonly string[];
    /** Everything from the first one on is an operand, or what follows `--` is. */
    readonly rest?: "after first" | "after --";
  };
  readonly flags: FlagTable;
  /** Lines after its flags in its help. */
  readonly notes?: readonly string[];
}

const SERVER: FlagTable = {
  config: { takes: "value", value: "PATH", help: "mcp.toml, or a directory with it and policy.toml" },
  policy: { takes: "value", value: "FILE", help: "limits for guests, see config/policy.toml" },
};

const VOLUMES: FlagTable = {
  volume: {
    takes: "values",
    value: "HOST:/data/NAME[:rw]",
    help: "directories of the host that programs may read, or also write",
  },
  "external-files": {
    takes: "values",
    value: "FILE",
    help: "files of the host that programs may read, below /external",
  },
};

const LOG: FlagTable = {
  "log-level": {
    takes: "value",
    value: "LEVEL",
    help: "how much the log on stderr says: debug, info, warning or error",
  },
};

const SERVE: FlagTable = {
  ...SERVER,
  http: { help: "serve MCP over HTTP, at http://127.0.0.1:8080/mcp" },
  stdio: { help: "serve MCP on stdin and stdout; so it is unless the configuration says otherwise" },
  host: { takes: "value", value: "ADDRESS", help: "where to listen" },
  port: { takes: "value", value: "PORT", help: "where to listen" },
  "enable-cors": { help: "let web pages call, those of this machine if no token is asked for" },
  "token-file": {
    takes: "value",
    value: "FILE",
    help: 'who may call, as lines "name=token"; or WASMBOX_AUTH_TOKENS="name=token,…"',
  },
  "allow-unauthenticated": { help: "let other machines run code without a token" },
  persist: {
    help: "keep sessions on the disk, so that they outlive the server: below ~/.local/state/wasmbox",
  },
  store: { takes: "value", value: "DIRECTORY", help: "likewise, in this directory" },
  "trust-import": { help: "let sessions be imported that a server with another key exported" },
  ...LOG,
  ...VOLUMES,
};

const JSON_FLAG: FlagTable = { json: { help: "as JSON" } };

/** Names that programs in the sandbox are known by, without asking what runs them. */
const LANGUAGES = ["python", "javascript", "typescript", "shell", "py", "js", "ts", "node", "bash", "sh"];

export const CLIENT_NAMES = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "zed",
  "windsurf",
  "codex",
  "gemini",
] as const;

export const SHELLS = ["bash", "zsh", "fish"] as const;

export const COMMANDS = {
  serve: {
    summary: "serve MCP; what is done without a command",
    flags: SERVE,
  },
  run: {
    summary: "run a program in a sandbox of its own",
    operands: { usage: "FILE [ARGUMENT …] | -c CODE [ARGUMENT …]", most: Infinity, rest: "after first" },
    flags: {
      code: { short: "c", takes: "value", value: "CODE", help: "run this instead of a file" },
      language: {
        takes: "value",
        value: "NAME",
        choices: LANGUAGES,
        help: "what the program is written in; else the file's name says it, and -c is Python",
      },
      timeout: {
        takes: "value",
        value: "SECONDS",
        help: "how long it may run; else as long as the policy lets it",
      },
      ...SERVER,
      ...LOG,
      ...VOLUMES,
    },
    notes: [
      "FILE.py, .js, .mjs, .cjs, .ts or .sh is sent into a new session and runs there; its output arrives as it is",
      "printed, its exit code is passed on, and Ctrl-C interrupts it. Python and JavaScript read what is piped in or",
      "typed; a shell script has no input. It sees nothing else of this machine: --volume maps directories in, and",
      "what it writes elsewhere is gone with the session.",
    ],
  },
  repl: {
    summary: "type Python, JavaScript and shell into one session",
    flags: {
      language: { takes: "value", value: "NAME", choices: LANGUAGES, help: "the first one; else Python" },
      ...SERVER,
      ...LOG,
      ...VOLUMES,
    },
    notes: [":py, :js, :ts and :sh change the language, or run one line in it; :help tells of the others."],
  },
  install: {
    summary: "write wasmbox into the configuration of an MCP client",
    operands: { usage: "[-- FLAG …]", most: Infinity, rest: "after --" },
    flags: {
      client: {
        takes: "value",
        value: "NAME",
        choices: CLIENT_NAMES,
        help: "which client; without it: which are here",
      },
      file: {
        takes: "value",
        value: "FILE",
        help: "another file than the client's own, such as a project's",
      },
      name: { takes: "value", value: "NAME", help: 'what the server is called there; else "wasmbox"' },
      "dry-run": { help: "only show what would change" },
      undo: { help: "take it out again, and put back what was there before" },
    },
    notes: [
      "The file that was there is kept beside the new one. What follows -- are flags of serve that the client gives.",
    ],
  },
  config: {
    summary: "check the configuration, print what holds and where it comes from",
    flags: { ...SERVE, ...JSON_FLAG },
  },
  doctor: {
    summary: "check the installation and the configuration, and run one line in each language",
    flags: SERVE,
  },
  selftest: {
    summary: "attack a server of its own with every known attack, and check the assets",
    flags: { json: { help: "the report as JSON" } },
  },
  licenses: { summary: "print the licences of all that is embedded", flags: {} },
  completions: {
    summary: "print what makes a shell complete wasmbox's command lines",
    operands: { usage: SHELLS.join(" | "), least: 1, most: 1, choices: SHELLS },
    flags: {},
    notes: [
      "bash: wasmbox completions bash > ~/.local/share/bash-completion/completions/wasmbox",
      "zsh:  wasmbox completions zsh > DIRECTORY_OF_FPATH/_wasmbox",
      "fish: wasmbox completions fish > ~/.config/fish/completions/wasmbox.fish",
    ],
  },
  man: { summary: "print the manual page: wasmbox man | man -l -", flags: {} },
  version: { summary: "print the version", flags: {} },
  help: {
    summary: "print this, or what there is to know of one command",
    flags: {},
    operands: { usage: "[COMMAND]", most: 1 },
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof COMMANDS;

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** What the table says of a command. */
export function commandOf(name: CommandName): Command {
  return COMMANDS[name];
}
