/** Servers in a client's TOML file, as tables of their own. Every line that is not of the table that changes stays. */

import { parse, stringify, TomlError } from "smol-toml";
import { InstallError } from "./errors.ts";
import { type Entry, entryIn, type Servers } from "./servers.ts";

export class TomlServers implements Servers {
  constructor(readonly section: string) {}

  read(text: string): unknown {
    try {
      return parse(text.replace(/^\uFEFF/, ""));
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new InstallError(`it is no valid TOML: ${error.message.split("\n")[0]}`);
    }
  }

  write(text: string, name: string, entry: Entry | undefined): string {
    const eol = text.includes("\r\n") ? "\r\n" : "\n";
    const old = entryIn(this, text, name);
    const lines = text.split(/(?<=\n)/);
    const { at, rest } = this.#withoutTable(lines, name);
    if (entry === undefined) return rest.join("");
    const kept = typeof old?.["command"] === "string" ? old : {};
    const table = stringify({ [this.section]: { [name]: { ...kept, ...entry } } })
      .replace(new RegExp(`^\\[${this.section}\\]\\n+`), "").trimEnd().replaceAll("\n", eol) + eol;
    const before = rest.slice(0, at).join("");
    const after = rest.slice(at).join("");
    const ended = before === "" || before.endsWith("\n") ? before : before + eol;
    const gap = ended === "" || /\n\r?\n$/.test(ended) ? "" : eol;
    return ended + gap + table + (after === "" || /^\r?\n/.test(after) ? after : eol + after);
  }

  /** The lines without those of a server's tables, and where the first of them was; the end if there are none. */
  #withoutTable(lines: readonly string[], name: string): { at: number; rest: string[] } {
    const own = new RegExp(`^\\s*\\[\\s*${this.section}\\s*\\.\\s*(["']?)${name}\\1\\s*[.\\]]`);
    const rest: string[] = [];
    let at: number | undefined;
    for (let line = 0; line < lines.length;) {
      if (!own.test(lines[line]!)) {
        rest.push(lines[line++]!);
        continue;
      }
      at ??= rest.length;
      let end = line + 1;
      while (end < lines.length && !/^\s*\[/.test(lines[end]!)) end++;
      // What stands above the next table is said of that.
      while (end > line + 1 && /^\s*(#.*)?\r?\n?$/.test(lines[end - 1]!)) end--;
      line = end;
    }
    return { at: at ?? rest.length, rest };
  }
}
