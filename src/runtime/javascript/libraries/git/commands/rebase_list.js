/** The list of an interactive rebase: what is to be done with each commit. */
import { partsOf } from "../pretty.js";
import { commitOf, isRevision } from "../revisions.js";
import { failed } from "../system.js";

const VERBS = {
  p: "pick",
  r: "reword",
  e: "edit",
  s: "squash",
  f: "fixup",
  x: "exec",
  b: "break",
  d: "drop",
  noop: "noop",
};
const NAMES = new Set(Object.values(VERBS));
/** Those of git's that are not here. */
const ABSENT = new Set(["l", "label", "t", "reset", "m", "merge", "u", "update-ref"]);

const ABOUT = `#
# Commands:
# p, pick <commit> = use commit
# r, reword <commit> = use commit, but edit the commit message
# e, edit <commit> = use commit, but stop for amending
# s, squash <commit> = use commit, but meld into previous commit
# f, fixup <commit> = like "squash" but keep only the previous
#                    commit's log message
# x, exec <command> = run command (the rest of the line) using shell
# b, break = stop here (continue rebase later with 'git rebase --continue')
# d, drop <commit> = remove commit
#
# These lines can be re-ordered; they are executed from top to bottom.
#
# If you remove a line here THAT COMMIT WILL BE LOST.
#
# However, if you remove everything, the rebase will be aborted.
#
`;

/** The list as an editor gets it, with short ids. */
export async function shownList({ objects }, list, { onto, over, tip }) {
  const lines = [];
  for (const line of list) {
    const [verb, oid, ...rest] = line.split(" ");
    lines.push(verb === "exec" ? line : [verb, await objects.short(oid), ...rest].join(" "));
  }
  if (lines.length === 0) lines.push("noop");
  const [from, to, base] = await Promise.all([over, tip, onto].map((oid) => objects.short(oid)));
  const count = `${list.length} command${list.length === 1 ? "" : "s"}`;
  return `${lines.join("\n")}\n\n# Rebase ${from}..${to} onto ${base} (${count})\n${ABOUT}`;
}

/** @returns its lines with whole names and ids. @throws {Failure} for what can't be done. */
export async function parseList(repository, text) {
  const list = [];
  for (const [at, given] of text.split("\n").entries()) {
    const line = given.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [word, ...rest] = line.split(/\s+/);
    const verb = VERBS[word] ?? word;
    if (ABSENT.has(verb) || (verb === "fixup" && rest[0]?.startsWith("-"))) {
      throw failed(
        `\`${word}${verb === "fixup" ? ` ${rest[0]}` : ""}' of git rebase -i is not supported here`,
      );
    }
    if (!NAMES.has(verb)) throw failed(`invalid command '${word}'\nerror: invalid line ${at + 1}: ${given}`);
    if (verb === "break" || verb === "noop") {
      list.push(verb);
      continue;
    }
    if (verb === "exec") {
      list.push(`exec ${line.slice(word.length).trim()}`);
      continue;
    }
    if (rest.length === 0 || !await isRevision(repository, rest[0])) {
      throw failed(`could not parse '${rest[0] ?? ""}'\nerror: invalid line ${at + 1}: ${given}`);
    }
    if (
      /^(?:squash|fixup)$/.test(verb) &&
      !list.some((each) => /^(?:pick|reword|edit|squash|fixup) /.test(each))
    ) {
      throw failed(`cannot '${verb}' without a previous commit`);
    }
    const oid = await commitOf(repository, rest[0]);
    const { subject } = partsOf((await repository.objects.commit(oid)).message);
    list.push(`${verb} ${oid} ${subject}`);
  }
  return list;
}

/** Has commits whose subject is `fixup! X` or `squash! X` follow the one that is meant. */
export function squashedOf(picks) {
  const list = [];
  for (const line of picks) {
    const [, oid, subject] = /^pick (\S+) (.*)$/.exec(line);
    const [, verb, wanted] = /^(fixup|squash)! (?:(?:fixup|squash)! )*(.*)$/.exec(subject) ?? [];
    const found = wanted === undefined ? undefined : list.findIndex(({ line: each }) => {
      const [, id, text] = /^pick (\S+) (.*)$/.exec(each) ?? [];
      return text === wanted || id?.startsWith(wanted) || text?.startsWith(wanted);
    });
    if (found === undefined || found < 0) {
      list.push({ line });
      continue;
    }
    let place = found + 1;
    while (list[place]?.melts) place++;
    list.splice(place, 0, { line: `${verb} ${oid} ${subject}`, melts: true });
  }
  return list.map(({ line }) => line);
}

/** Commands after each commit, once what melts into it is in it. */
export function withCommands(list, commands) {
  const lines = commands.map((command) => `exec ${command}`);
  return list.flatMap((line, at) =>
    /^(?:squash|fixup) /.test(list[at + 1] ?? "") ? [line] : [line, ...lines]
  );
}

const ORDINALS = (count) => `# This is a combination of ${count} commits.`;

/** The message of commits that are melded into one. @param text What it was before this one. */
export function combined(text, before, verb, added) {
  const first = `${ORDINALS(1)}\n# This is the 1st commit message:\n\n${before}`;
  const count = Number(/^# This is a combination of (\d+)/.exec(text ?? first)[1]) + 1;
  const own = added.replace(/^(?:fixup|squash)! [^\n]*/, (subject) => `# ${subject}`);
  const part = verb === "squash"
    ? `# This is the commit message #${count}:\n\n${own}`
    : `# The commit message #${count} will be skipped:\n\n${added.trimEnd().replace(/^/gm, "# ")}\n`;
  const whole = `${(text ?? first).trimEnd()}\n\n${part}`;
  return {
    text: whole.replace(/^# This is a combination of \d+ commits\./, ORDINALS(count)),
    isSquash: /^# This is the commit message #/m.test(whole),
  };
}
