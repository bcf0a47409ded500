/** Commits in words: `--pretty`, `--format`. */
import { formatDate, relativeDate } from "./dates.js";
import { SHORT } from "./objects.js";
import { decode, fatal } from "./system.js";

/** The first paragraph of a message as one line, and the rest. */
export function partsOf(message) {
  const text = message.replace(/^\s*\n/, "");
  const end = text.search(/\n\s*\n/);
  const head = end < 0 ? text : text.slice(0, end);
  return {
    subject: head.trim().replace(/\s*\n\s*/g, " "),
    body: end < 0 ? "" : text.slice(end).replace(/^\n\s*\n*/, ""),
  };
}

export const fileNameOf = (subject) =>
  subject.replace(/[^A-Za-z0-9._]+/g, "-").replace(/\.+/g, ".").replace(/^-|[-.]+$/g, "").slice(0, 64);

const TAB = 8;
function expanded(line) {
  let text = "";
  for (const char of line) text += char === "\t" ? " ".repeat(TAB - text.length % TAB) : char;
  return text;
}
const indented = (message) =>
  message.trimEnd().split("\n").map((line) => `    ${expanded(line.trimEnd())}\n`).join("");
const SHAPES = new Set(["oneline", "short", "medium", "full", "fuller", "reference", "raw"]);

/** How commits are shown. @param format As `--pretty` takes it. */
export function shapeOf(format = "medium") {
  if (SHAPES.has(format)) {
    return { name: format, separate: format === "oneline" || format === "reference" ? "end" : "between" };
  }
  if (format.startsWith("format:")) return { pattern: format.slice(7), separate: "line" };
  if (format.startsWith("tformat:")) return { pattern: format.slice(8), separate: "end" };
  if (format === "" || format.includes("%")) return { pattern: format, separate: "end" };
  throw fatal(`invalid --pretty format: ${format}`);
}

/** `%<(20,trunc)` and its like: what pads or cuts the place that follows. */
function columnOf(piece) {
  const [, side, digits, cut = ""] =
    /^%([<>])\(\s*(\d+)\s*(?:,\s*(trunc|ltrunc|mtrunc)\s*)?\)$/.exec(piece) ?? [];
  if (side === undefined) throw fatal(`${piece} in a format is not supported here`);
  const width = Number(digits);
  return (text) => {
    const chars = [...text];
    if (chars.length <= width || cut === "") {
      const room = " ".repeat(Math.max(0, width - chars.length));
      return side === "<" ? text + room : room + text;
    }
    const kept = Math.max(0, width - 2);
    const head = cut === "trunc" ? kept : cut === "ltrunc" ? 0 : Math.floor(width / 2) - 1;
    const tail = kept - head;
    return `${chars.slice(0, head).join("")}..${tail > 0 ? chars.slice(-tail).join("") : ""}`;
  };
}

export class Pretty {
  #repository;
  #shape;
  #options;

  /** @param options `date`, `abbrev`, `decorations`: a map of ids and names; `notes`. */
  constructor(repository, shape, options = {}) {
    this.#repository = repository;
    this.#shape = shape;
    this.#options = { date: "default", ...options };
  }

  async #id(oid, short = this.#options.abbrev) {
    return short ? await this.#repository.objects.short(oid, short === true ? SHORT : short) : oid;
  }
  #decoration(oid) {
    const names = this.#options.decorations?.get(oid);
    return names ? ` (${names.join(", ")})` : "";
  }

  /** The notes on a commit, each below its name. */
  async #noteText(oid) {
    let text = "";
    for (const notes of this.#options.notes ?? []) {
      const bytes = await notes.read(oid);
      if (!bytes) continue;
      const lines = decode(bytes).replace(/\n$/, "").split("\n");
      text += `\n${notes.label}:\n${lines.map((line) => `    ${line}\n`).join("")}`;
    }
    return text;
  }

  /** @returns with its last line ended. @param entry What a log of references says of it. */
  async text(commit, entry) {
    const { name, pattern } = this.#shape;
    if (pattern !== undefined) return await this.#expand(pattern, commit, entry);
    const decoration = this.#decoration(commit.oid);
    const { subject } = partsOf(commit.message);
    if (name === "oneline") {
      const told = entry ? `${entry.name}: ${entry.why}` : subject;
      return `${await this.#id(commit.oid)}${decoration} ${told}${await this.#noteText(commit.oid)}`;
    }
    if (name === "reference") {
      return `${await this.#id(commit.oid, SHORT)} (${subject}, ${formatDate(commit.author, "short")})`;
    }
    const lines = [`commit ${await this.#id(commit.oid)}${decoration}`];
    if (name === "raw") {
      throw fatal("--pretty=raw is not supported here: git cat-file -p shows a commit as it is");
    }
    if (entry) lines.push(`Reflog: ${entry.name} (${entry.by})`, `Reflog message: ${entry.why}`);
    if (commit.parents.length > 1) {
      const parents = [];
      for (const parent of commit.parents) parents.push(await this.#repository.objects.short(parent));
      lines.push(`Merge: ${parents.join(" ")}`);
    }
    const who = ({ name, email }) => `${name} <${email}>`;
    const { author, committer } = commit;
    const date = (person) => formatDate(person, this.#options.date);
    if (name === "fuller") {
      lines.push(`Author:     ${who(author)}`, `AuthorDate: ${date(author)}`);
      lines.push(`Commit:     ${who(committer)}`, `CommitDate: ${date(committer)}`);
    } else {
      lines.push(`Author: ${who(author)}`);
      if (name === "full") lines.push(`Commit: ${who(committer)}`);
      if (name === "medium") lines.push(`Date:   ${date(author)}`);
    }
    const shown = name === "short" ? subject : commit.message.replace(/^\n+/, "");
    const message = shown.trim() === "" ? "" : `\n${indented(shown)}`;
    return `${lines.join("\n")}\n${message}${await this.#noteText(commit.oid)}`;
  }

  async #expand(pattern, commit, entry) {
    const pieces = pattern.split(
      /(%(?:x[0-9a-fA-F]{2}|C\([^)]*\)|C(?:red|green|blue|reset)|[-+ ]?(?:a[a-zA-Z]|c[a-zA-Z]|g[dDsn]|\([^)]*\)|[a-zA-Z%])|[<>]\|?\([^)]*\)))/,
    );
    let text = "";
    let column;
    for (const piece of pieces) {
      if (!piece.startsWith("%")) text += piece;
      else if (/^%[<>]/.test(piece)) column = columnOf(piece);
      else {
        const shown = await this.#place(piece.slice(1), commit, entry);
        text += column && !/^%C/.test(piece) ? column(shown) : shown;
        if (!/^%C/.test(piece)) column = undefined;
      }
    }
    return text;
  }

  async #place(code, commit, entry) {
    if (/^C/.test(code)) return "";
    if (/^x/.test(code)) return String.fromCharCode(parseInt(code.slice(1), 16));
    if (/^[-+ ]/.test(code) && code.length > 1) {
      const text = await this.#place(code.slice(1), commit, entry);
      return code[0] === "+" ? text && `\n${text}` : code[0] === " " ? text && ` ${text}` : text;
    }
    if (/^[ac]/.test(code) && code.length > 1) return this.#person(code, commit);
    const { subject, body } = partsOf(commit.message);
    const { objects } = this.#repository;
    const each = async (ids, short) => {
      const shown = [];
      for (const oid of ids) shown.push(short ? await objects.short(oid) : oid);
      return shown.join(" ");
    };
    switch (code) {
      case "H":
        return commit.oid;
      case "h":
        return await objects.short(commit.oid);
      case "T":
        return commit.tree;
      case "t":
        return await objects.short(commit.tree);
      case "P":
        return commit.parents.join(" ");
      case "p":
        return await each(commit.parents, true);
      case "s":
        return subject;
      case "f":
        return fileNameOf(subject);
      case "b":
        return body;
      case "B":
        return commit.message;
      case "d":
        return this.#decoration(commit.oid);
      case "D":
        return this.#options.decorations?.get(commit.oid)?.join(", ") ?? "";
      case "n":
        return "\n";
      case "%":
        return "%";
      case "e":
        return "";
      case "N":
        return await this.#rawNotes(commit.oid);
      case "gd":
      case "gD":
        return entry?.name ?? "";
      case "gs":
        return entry?.why ?? "";
    }
    throw fatal(`%${code} in a format is not supported here`);
  }

  async #rawNotes(oid) {
    let text = "";
    for (const notes of this.#options.notes ?? []) text += decode(await notes.read(oid) ?? new Uint8Array(0));
    return text;
  }

  #person(code, { author, committer }) {
    const person = code[0] === "a" ? author : committer;
    const { name, email, time } = person;
    const shown = {
      n: () => name,
      N: () => name,
      e: () => email,
      E: () => email,
      l: () => email.replace(/@.*/, ""),
      d: () => formatDate(person, this.#options.date),
      D: () => formatDate(person, "rfc"),
      r: () => relativeDate(time),
      t: () => `${time}`,
      i: () => formatDate(person, "iso"),
      I: () => formatDate(person, "iso-strict"),
      s: () => formatDate(person, "short"),
    }[code[1]];
    if (!shown) throw fatal(`%${code} in a format is not supported here`);
    return shown();
  }
}
