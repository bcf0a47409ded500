/** What a rebase that has stopped leaves behind, where git has it. */
import { isFile, readText, writeText } from "../system.js";

/** What covers a line of progress. */
export const LINE = " ".repeat(80);

export const stateFile = ({ refs }, name) => refs.file(`rebase-merge/${name}`);

/** What a rebase that has stopped is about; undefined: there is none. */
export function stateOf(repository) {
  const text = (file) => readText(stateFile(repository, file))?.trim();
  const [name, onto, before] = ["head-name", "onto", "orig-head"].map(text);
  if (!name || !onto || !before) return undefined;
  const lines = (file) =>
    (readText(stateFile(repository, file)) ?? "").split("\n").filter((line) => line !== "");
  return {
    name,
    onto,
    before,
    quiet: isFile(stateFile(repository, "quiet")),
    done: lines("done"),
    todo: lines("git-rebase-todo"),
  };
}

export function writeTodo(repository, done, todo) {
  const text = (lines) => lines.map((line) => `${line}\n`).join("");
  writeText(stateFile(repository, "done"), text(done));
  writeText(stateFile(repository, "git-rebase-todo"), text(todo));
  writeText(stateFile(repository, "msgnum"), `${done.length}\n`);
  writeText(stateFile(repository, "end"), `${done.length + todo.length}\n`);
}

/** What `status` says of one that has stopped. */
export async function rebaseText(repository, state, hasConflicts) {
  const { objects } = repository;
  const onto = await objects.short(state.onto);
  const shown = async (line) => {
    const [verb, oid, ...subject] = line.split(" ");
    if (!/^[0-9a-f]{40}$/.test(oid ?? "")) return `   ${line}\n`;
    return `   ${verb} ${await objects.short(oid)} ${subject.join(" ")}\n`;
  };
  const list = async (lines) => (await Promise.all(lines.map(shown))).join("");
  const counted = (count, what, one) => `${count} ${one}command${count === 1 ? "" : "s"}${what}`;
  const last = state.done.slice(-2);
  const more = state.done.length > 2 ? "  (see more in file .git/rebase-merge/done)\n" : "";
  const done = state.done.length === 0
    ? "No commands done.\n"
    : `Last command${state.done.length === 1 ? "" : "s"} done (${
      counted(state.done.length, " done", "")
    }):\n` +
      `${await list(last)}${more}`;
  const todo = state.todo.length === 0
    ? "No commands remaining.\n"
    : `Next command${state.todo.length === 1 ? "" : "s"} to do (${
      counted(state.todo.length, "", "remaining ")
    }):\n` +
      `${await list(state.todo.slice(0, 2))}  (use "git rebase --edit-todo" to view and edit)\n`;
  const branch = state.name.replace(/^refs\/heads\//, "");
  const doing = state.name === "detached HEAD"
    ? "You are currently rebasing.\n"
    : `You are currently rebasing branch '${branch}' on '${onto}'.\n`;
  const ways = hasConflicts
    ? '  (fix conflicts and then run "git rebase --continue")\n  (use "git rebase --skip" to skip this patch)\n  (use "git rebase --abort" to check out the original branch)\n'
    : '  (all conflicts fixed: run "git rebase --continue")\n';
  return { head: `interactive rebase in progress; onto ${onto}\n`, text: `${done}${todo}${doing}${ways}\n` };
}
