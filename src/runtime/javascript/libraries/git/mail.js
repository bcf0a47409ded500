/** Headers of mails, as `format-patch` writes and `am` reads them. */
import { bytesOfChars } from "./compare.js";
import { decode, encode } from "./system.js";

const MOST_ENCODED = 76;
const MOST_COLUMNS = 78;
// deno-lint-ignore no-control-regex -- these are what has to be encoded
export const isPlain = (text) => /^[\x00-\x7f]*$/.test(text);

const SPECIAL = { subject: /[^!-<>@-^`-~]/, address: /[^A-Za-z0-9!*+\-/]/ };
/** @param column Where it begins. @param kind Which characters stand for themselves. */
export function encodedWords(text, column, kind) {
  const begin = "=?UTF-8?q?";
  let [line, used] = [begin, column + begin.length];
  for (const char of text) {
    const bytes = encode(char);
    const shown = bytes.length === 1 && !SPECIAL[kind].test(char)
      ? char
      : Array.from(bytes, (byte) => `=${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
    if (used + shown.length + 2 > MOST_ENCODED) {
      line += `?=\n ${begin}`;
      used = begin.length + 1;
    }
    line += shown;
    used += shown.length;
  }
  return `${line}?=`;
}

/** A header of plain text, whose further lines begin with a space. */
export function folded(head, text) {
  if (!isPlain(text)) return head + encodedWords(text, head.length, "subject");
  let line = head;
  let used = head.length;
  for (const [at, word] of text.split(" ").entries()) {
    if (at > 0 && used + 1 + word.length > MOST_COLUMNS) {
      line += `\n ${word}`;
      used = 1 + word.length;
    } else {
      line += `${at > 0 ? " " : ""}${word}`;
      used += word.length + (at > 0 ? 1 : 0);
    }
  }
  return line;
}

export function senderText({ name, email }) {
  const shown = !isPlain(name)
    ? encodedWords(name, "From: ".length, "address")
    : /[()<>[\]:;@,."\\]/.test(name)
    ? `"${name.replace(/["\\]/g, "\\$&")}"`
    : name;
  return `From: ${shown} <${email}>`;
}

function decoded(value) {
  const joined = value.replace(/\?=\s+=\?/g, "?==?");
  return joined.replace(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_, kind, text) => {
    if (kind.toLowerCase() === "b") return decode(bytesOfChars(atob(text)));
    const chars = text.replaceAll("_", " ").replace(
      /=([0-9A-F]{2})/gi,
      (_, code) => String.fromCharCode(parseInt(code, 16)),
    );
    return decode(bytesOfChars(chars));
  });
}

/** The mails of a file, each as it stands. */
export function mailsOf(text) {
  const starts = [...text.matchAll(/^From \S+ .*\d{4}$/gm)].map(({ index }) => index).filter((at) =>
    at === 0 || text[at - 1] === "\n"
  );
  if (starts[0] !== 0) return /^(?:From|Subject|Date|Message-ID): /i.test(text) ? [text] : [];
  return starts.map((at, index) => text.slice(at, starts[index + 1]));
}

/** @param mail With one character for each byte. @returns who, when, the message, and the patch. */
export function parseMail(mail) {
  const end = mail.indexOf("\n\n");
  const head = mail.slice(0, end < 0 ? undefined : end).replace(/^From .*\n/, "").replace(/\r/g, "");
  const headers = {};
  for (const line of head.replace(/\n[ \t]+/g, " ").split("\n")) {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name) headers[name.toLowerCase()] = decoded(decode(bytesOfChars(value)));
  }
  const body = (end < 0 ? "" : mail.slice(end + 2)).split("\n");
  // A mail may say itself who wrote it.
  const [, own] = /^From: (.*)$/.exec(body[0] ?? "") ?? [];
  if (own) body.splice(0, body[1] === "" ? 2 : 1);
  const cut = body.findIndex((line) => /^---\s*$|^diff -|^Index: |^--- \S/.test(line));
  const text = (lines) => lines.join("\n");
  const message = decode(bytesOfChars(text(cut < 0 ? body : body.slice(0, cut)))).trim();
  const from = own === undefined ? headers.from ?? "" : decoded(decode(bytesOfChars(own)));
  const [, name = "", email = ""] = /^\s*(.*?)\s*<([^>]*)>/.exec(from) ?? ["", "", from];
  return {
    author: { name: name.replace(/^"(.*)"$/, "$1").replace(/\\(.)/g, "$1"), email },
    date: headers.date,
    subject: headers.subject ?? "",
    body: message,
    patch: cut < 0 ? "" : text(body.slice(cut)).replace(/\n-- \n[^\n]*\n*$/, "\n"),
  };
}

/** A subject without what mails put before it. */
export function bareSubject(subject, keeps) {
  let text = subject.trim();
  while (!keeps) {
    const shorter = text.replace(/^(?:re:\s*|\[[^\]]*\]\s*)/i, "");
    if (shorter === text) break;
    text = shorter;
  }
  return text;
}
