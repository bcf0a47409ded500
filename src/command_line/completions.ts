/** What makes a shell complete command lines: written from the table of commands. */

import { COMMAND_NAMES, type CommandName, commandOf, type SHELLS } from "./commands.ts";

type Shell = typeof SHELLS[number];

/** @param shell One of {@link SHELLS}. */
export function completions(shell: string | undefined): string {
  return WRITERS[shell as Shell]();
}

const WRITERS: Readonly<Record<Shell, () => string>> = { bash, zsh, fish };

/** What a command takes besides flags: choices, names of commands, or files. */
function operandsOf(name: CommandName): readonly string[] | "files" | undefined {
  const { operands } = commandOf(name);
  if (name === "help") return COMMAND_NAMES;
  if (name === "run") return "files";
  return operands?.choices;
}

function flagsOf(name: CommandName): string[] {
  return Object.keys(commandOf(name).flags).map((flag) => `--${flag}`);
}

function bash(): string {
  const values = COMMAND_NAMES.flatMap((name) =>
    Object.entries(commandOf(name).flags).flatMap(([flag, { takes, choices }]) =>
      takes ? [`    ${name}:--${flag}) words="${choices?.join(" ") ?? ""}" ;;`] : []
    )
  );
  const words = COMMAND_NAMES.map((name) => {
    const operands = operandsOf(name);
    const all = [...flagsOf(name), ...Array.isArray(operands) ? operands : []];
    return `      ${name}) words="${all.join(" ")}" ;;`;
  });
  return `# bash completion of wasmbox
_wasmbox() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command= words= at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case " ${COMMAND_NAMES.join(" ")} " in *" \${COMP_WORDS[at]} "*) command=\${COMP_WORDS[at]}; break ;; esac
  done
  case \${command:-serve}:$before in
${values.join("\n")}
    *)
      case \${command:-none} in
      none) words="${[...COMMAND_NAMES, ...flagsOf("serve")].join(" ")}" ;;
${words.join("\n")}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _wasmbox wasmbox`;
}

function zsh(): string {
  const quoted = (text: string) => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, "\\$&");
  const commands = COMMAND_NAMES.map((name) => `    '${name}:${quoted(commandOf(name).summary)}'`);
  const cases = COMMAND_NAMES.map((name) => {
    const flags = Object.entries(commandOf(name).flags).map(([flag, { takes, value, choices, help }]) => {
      const action = choices ? `(${choices.join(" ")})` : "_files";
      return `'--${flag}${takes ? "=" : ""}[${quoted(help)}]${
        takes ? `:${quoted(value ?? "")}:${action}` : ""
      }'`;
    });
    const operands = operandsOf(name);
    const rest = operands === "files"
      ? ["'*:file:_files'"]
      : operands
      ? [`'*:argument:(${operands.join(" ")})'`]
      : [];
    const all = [...flags, ...rest];
    return `    ${name}) ${all.length > 0 ? `_arguments ${all.join(" ")}` : "_message 'no arguments'"} ;;`;
  });
  return `#compdef wasmbox
_wasmbox() {
  local -a commands
  commands=(
${commands.join("\n")}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  local command=$words[2]
  if [[ $command == -* ]]; then command=serve; else shift words; (( CURRENT-- )); fi
  case $command in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _wasmbox ]]; then _wasmbox "$@"; else compdef _wasmbox wasmbox; fi`;
}

function fish(): string {
  const quoted = (text: string) => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;
  const lines = COMMAND_NAMES.flatMap((name) => {
    const condition = name === "serve"
      ? "'__fish_use_subcommand; or __fish_seen_subcommand_from serve'"
      : `'__fish_seen_subcommand_from ${name}'`;
    const operands = operandsOf(name);
    return [
      `complete -c wasmbox -n __fish_use_subcommand -a ${name} -d ${quoted(commandOf(name).summary)}`,
      ...Object.entries(commandOf(name).flags).map(([flag, { takes, short, choices, help }]) =>
        [
          `complete -c wasmbox -n ${condition} -l ${flag}`,
          short ? ` -s ${short}` : "",
          takes ? " -r" : "",
          choices ? ` -x -a ${quoted(choices.join(" "))}` : "",
          ` -d ${quoted(help)}`,
        ].join("")
      ),
      ...Array.isArray(operands)
        ? [`complete -c wasmbox -n ${condition} -a ${quoted(operands.join(" "))}`]
        : [],
      ...operands === "files" ? [`complete -c wasmbox -n ${condition} -F`] : [],
    ];
  });
  return ["# fish completion of wasmbox", "complete -c wasmbox -f", ...lines].join("\n");
}
