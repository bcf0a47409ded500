/** `commit-tree`, `mktree`: commits and trees made by hand. */
import { commitBytes } from "../objects.js";
import { parseOptions } from "../options.js";
import { unquotePath } from "../patches.js";
import { openRepository } from "../repository.js";
import { resolve } from "../revisions.js";
import {
  absolute,
  decode,
  decodeStrictly,
  failed,
  Failure,
  fatal,
  note,
  out,
  readBytes,
  readInput,
} from "../system.js";

export async function commitTree(args) {
  const options = parseOptions("commit-tree", args, "p= m= F= !S|gpg-sign[=] no-gpg-sign");
  const [name, ...more] = options.everything;
  if (name === undefined || more.length > 0) {
    throw new Failure(
      "usage: git commit-tree <tree> [(-p <parent>)...] [(-m <message>)...] [(-F <file>)...]\n",
      129,
    );
  }
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const idOf = async (given, type) => {
    const oid = await resolve(repository, given);
    if (!oid) throw fatal(`not a valid object name ${given}`);
    const found = await objects.find(oid);
    if (found?.type !== type) {
      throw fatal(found ? `${oid} is not a valid '${type}' object` : `not a valid object name ${given}`);
    }
    return oid;
  };
  const tree = await idOf(name, "tree");
  const parents = [];
  for (const given of options.all("p")) {
    const oid = await idOf(given, "commit");
    if (parents.includes(oid)) note(`error: duplicate parent ${oid} ignored\n`);
    else parents.push(oid);
  }
  const message = messageOf(options);
  if (message.includes("\0")) throw failed("a NUL byte in commit log message not allowed.");
  const [author, committer] = [await repository.person("AUTHOR"), await repository.person("COMMITTER")];
  out(`${objects.write("commit", commitBytes({ tree, parents, author, committer, message }))}\n`);
}

/** As it was given, without anything of it cleaned. */
function messageOf(options) {
  let text = "";
  for (const [kind, value] of options.given) {
    if (kind !== "m" && kind !== "F") continue;
    if (text !== "") text += "\n";
    text += kind === "F" ? readMessage(value) : value.replace(/[^\n]$/, "$&\n");
  }
  return text === "" ? textOf(readInput()) : text;
}

function readMessage(name) {
  const bytes = name === "-" ? readInput() : readBytes(absolute(name));
  if (!bytes) throw fatal(`could not open '${name}' for reading: No such file or directory`);
  return textOf(bytes);
}

function textOf(bytes) {
  const text = decodeStrictly(bytes);
  if (text === undefined) throw fatal("a message that is no UTF-8 is not supported here");
  return text;
}

const TYPES = { "040000": "tree", "160000": "commit" };

export async function mktree(args) {
  const options = parseOptions("mktree", args, "z missing !batch");
  if (options.everything.length > 0) throw new Failure("usage: git mktree [-z] [--missing] [--batch]\n", 129);
  const { objects } = await openRepository({ bare: true });
  const end = options.has("z") ? "\0" : "\n";
  const rows = new Map();
  const lines = decode(readInput()).split(end);
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    if (line === "") throw fatal("input format error: (blank line only valid in batch mode)");
    const [, digits, type, oid, given] = /^([0-7]{1,6}) (\w+) ([0-9a-f]{40})\t(.+)$/s.exec(line) ?? [];
    if (digits === undefined) throw fatal(`input format error: ${line}`);
    const name = end === "\n" ? unquotePath(given) : given;
    const mode = digits.padStart(6, "0");
    const kind = TYPES[mode] ?? "blob";
    if (!/^(?:100644|100755|100664|120000|040000|160000)$/.test(mode)) {
      throw fatal(`a tree has no entries of mode ${mode} here`);
    }
    if (name.includes("/")) throw fatal(`path ${name} contains slash`);
    if (/^(?:\.{0,2}|\.git)$/i.test(name)) throw fatal(`a tree has no entry called '${name}' here`);
    if (rows.has(name)) throw fatal(`a tree has no two entries called '${name}' here`);
    if (type !== kind) throw fatal(`entry '${name}' object type (${type}) doesn't match mode type (${kind})`);
    const found = kind === "commit" ? undefined : await objects.find(oid);
    if (found && found.type !== kind) {
      throw fatal(`entry '${name}' object ${oid} is a ${found.type} but specified type was (${kind})`);
    }
    if (!found && kind !== "commit" && !options.has("missing")) {
      throw fatal(`entry '${name}' object ${oid} is unavailable`);
    }
    rows.set(name, { mode: mode.replace(/^0/, ""), name, oid });
  }
  out(`${objects.writeEntries([...rows.values()])}\n`);
}
