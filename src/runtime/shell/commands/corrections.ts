/** Commands of just-bash whose forms or words differ from GNU's where scripts notice: put right around the original. */

import { structuredPatch } from "diff";
import { FsError } from "../../../fs/file_system.ts";
import { textOf } from "../bytes.ts";
import { pcreGrep } from "./pcre_grep.ts";
import { type Command, type CommandContext, defineCommand, type ExecResult } from "../just_bash.ts";
import { command, CommandError, type CommandOutput, type Invocation, result, type Tools } from "./tools.ts";

/** Longest text that is compared line by line: the time that takes grows with the square of the differences. */
const DIFF_MAX_LINES = 20_000;
/** For comparing them: nothing looks at a stop meanwhile, and a process that does not answer to one is killed. */
const DIFF_MAX_MS = 1500;

export function corrections(tools: Tools): Command[] {
  return [
    around("ls", (args, original) =>
      original(args).then((ended) => ({
        ...ended,
        stderr: ended.stderr.replace(
          /^ls: (.+): (No such file or directory)$/gm,
          "ls: cannot access '$1': $2",
        ),
      }))),
    around("xargs", (args, original) => original(args.flatMap(separated))),
    grep(tools),
    around("egrep", relativeToDirectory),
    around("fgrep", relativeToDirectory),
    around("env", (args, original, context) => {
      if (args.length > 0) return original(args);
      const rows = Object.entries(context.exportedEnv ?? {}).map(([name, value]) => `${name}=${value}\n`);
      return Promise.resolve(result({ stdout: rows.join("") }));
    }),
    diff(tools),
  ];
}

type Original = (args: string[]) => Promise<ExecResult>;

function around(
  name: string,
  run: (args: string[], original: Original, context: CommandContext) => Promise<ExecResult>,
): Command {
  return defineCommand(name, (args, context) => run(args, context.origCommand!, context));
}

/** `-n1` is `-n 1`. */
function separated(arg: string): string[] {
  const [, option, value] = /^(-[nILPds])(.+)$/s.exec(arg) ?? [];
  return option === undefined || value === undefined ? [arg] : [option, value];
}

/** RE2 is asked first, as it is faster. */
function grep(tools: Tools): Command {
  const perl = command("grep", (invocation) => pcreGrep(tools, invocation));
  return around("grep", async (args, original, context) => {
    const ended = await relativeToDirectory(args, original, context);
    const refused = ended.exitCode === 2 && ended.stderr.startsWith("grep: invalid regular expression");
    const isPerl = args.some((arg) => arg === "--perl-regexp" || /^-[a-zA-Z]*P/.test(arg));
    return refused && isPerl ? await perl.execute(args, context as never) : ended;
  });
}

/** What is found below `.` is named `./…`. */
async function relativeToDirectory(
  args: string[],
  original: Original,
  { cwd }: CommandContext,
): Promise<ExecResult> {
  const recursive = args.some((arg) => arg === "--recursive" || /^-[a-zA-Z]*[rR]/.test(arg));
  // The first of these could be the pattern; one more says that it is not.
  const at = args.lastIndexOf(".");
  if (!recursive || at < 1) return await original(args);
  const ended = await original(args.with(at, cwd));
  const prefix = cwd.endsWith("/") ? cwd : `${cwd}/`;
  const stdout = ended.stdout.split("\n")
    .map((line) => line.startsWith(prefix) ? `./${line.slice(prefix.length)}` : line).join("\n");
  return { ...ended, stdout };
}

function diff(tools: Tools): Command {
  const normal = command("diff", (invocation) => normalDiff(tools, invocation));
  return around("diff", (args, original, context) => {
    // With options, and for directories, just-bash's own will do.
    const plain = args.length === 2 && args.every((arg) => arg === "-" || !arg.startsWith("-"));
    return plain ? normal.execute(args, context as never) : original(args);
  });
}

async function normalDiff(
  { stop }: Tools,
  { args, context, path, stdin }: Invocation,
): Promise<CommandOutput> {
  const read = async (name: string) => {
    if (name === "-") return textOf(stdin());
    try {
      return await context.fs.readFile(path(name));
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      throw new CommandError(`${name}: No such file or directory`, 2);
    }
  };
  const [before, after] = [await read(args[0]!), await read(args[1]!)];
  if (before === after) return {};
  for (const text of [before, after]) {
    if (text.split("\n", DIFF_MAX_LINES + 1).length > DIFF_MAX_LINES) {
      throw new CommandError(`more than ${DIFF_MAX_LINES} lines are not compared`, 2);
    }
  }
  const patch = structuredPatch("", "", before, after, "", "", { context: 0, timeout: DIFF_MAX_MS });
  stop.check();
  if (!patch) throw new CommandError("the files differ too much to be compared", 2);
  let stdout = "";
  for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
    const range = (start: number, count: number) =>
      count === 0 ? `${start - 1}` : count === 1 ? `${start}` : `${start},${start + count - 1}`;
    const removed = lines.filter((line) => line.startsWith("-"));
    const added = lines.filter((line) => line.startsWith("+"));
    const letter = removed.length === 0 ? "a" : added.length === 0 ? "d" : "c";
    stdout += `${range(oldStart, oldLines)}${letter}${range(newStart, newLines)}\n`;
    stdout += shown(lines, "-", "<");
    if (letter === "c") stdout += "---\n";
    stdout += shown(lines, "+", ">");
  }
  return { stdout, exitCode: 1 };
}

function shown(lines: readonly string[], sign: "-" | "+", mark: "<" | ">"): string {
  let text = "";
  lines.forEach((line, i) => {
    if (line.startsWith(sign)) text += `${mark} ${line.slice(1)}\n`;
    else if (line.startsWith("\\") && lines[i - 1]?.startsWith(sign)) text += `${line}\n`;
  });
  return text;
}
