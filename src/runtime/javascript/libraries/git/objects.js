/** Objects of a repository: loose ones are read and written here, those of packs by isomorphic-git. */
import { expandOid, readObject } from "isomorphic-git";
import {
  concat,
  decode,
  decodeStrictly,
  deflate,
  encode,
  fatal,
  fileClient,
  inflate,
  isFile,
  list,
  readBytes,
  sha1,
  writeBytes,
} from "./system.js";

export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
export const SHORT = 7;
/** Larger ones are stored as they are: packing them would take seconds. */
const MOST_PACKED = 512 * 1024;
/** Most objects that are kept for the next one who asks. */
const MOST_KEPT = 5000;

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const bytesOfHex = (hex) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => parseInt(hex.substr(at * 2, 2), 16));

const framed = (type, bytes) => concat([encode(`${type} ${bytes.length}\0`), bytes]);
export const idOf = (type, bytes) => sha1(framed(type, bytes));

export class Objects {
  #gitdir;
  #packs = {};
  #parsed = new Map();

  constructor(gitdir) {
    this.#gitdir = gitdir;
  }

  #path(oid) {
    return `${this.#gitdir}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
  }

  get #hasPacks() {
    return list(`${this.#gitdir}/objects/pack`).some(([name]) => name.endsWith(".idx"));
  }

  /** @returns Its type and bytes; undefined if there is none. */
  async find(oid) {
    if (oid === EMPTY_TREE) return { type: "tree", bytes: new Uint8Array(0) };
    const stored = readBytes(this.#path(oid));
    if (stored) return unframed(oid, stored);
    if (!this.#hasPacks) return undefined;
    try {
      const { type, object } = await readObject({
        fs: fileClient,
        gitdir: this.#gitdir,
        oid,
        format: "content",
        cache: this.#packs,
      });
      return { type, bytes: object };
    } catch (error) {
      if (error.code === "NotFoundError") return undefined;
      throw fatal(`object ${oid} can't be read: ${error.message}`);
    }
  }

  async read(oid, type) {
    const found = await this.find(oid);
    if (!found) throw fatal(`bad object ${oid}`);
    if (type !== undefined && found.type !== type) {
      throw fatal(`object ${oid} is a ${found.type}, not a ${type}`);
    }
    return found;
  }

  async has(oid) {
    return oid === EMPTY_TREE || isFile(this.#path(oid)) ||
      (this.#hasPacks && await this.find(oid) !== undefined);
  }

  /** @returns its id. */
  write(type, bytes) {
    const whole = framed(type, bytes);
    const oid = sha1(whole);
    const path = this.#path(oid);
    if (!isFile(path)) writeBytes(path, deflate(whole, whole.length > MOST_PACKED ? 0 : 1));
    return oid;
  }

  /** The ids that begin with these digits. */
  async matching(prefix) {
    const found = list(`${this.#gitdir}/objects/${prefix.slice(0, 2)}`)
      .map(([name]) => prefix.slice(0, 2) + name)
      .filter((oid) => oid.length === 40 && oid.startsWith(prefix));
    if (this.#hasPacks) {
      try {
        found.push(
          await expandOid({ fs: fileClient, gitdir: this.#gitdir, oid: prefix, cache: this.#packs }),
        );
      } catch (error) {
        if (error.code === "AmbiguousError") found.push(...error.data.matches);
        else if (error.code !== "NotFoundError") throw error;
      }
    }
    return [...new Set(found)];
  }

  /** Those that have a file of their own: ids, and where they are. */
  loose() {
    return list(`${this.#gitdir}/objects`).filter(([name]) => /^[0-9a-f]{2}$/.test(name)).flatMap(([name]) =>
      list(`${this.#gitdir}/objects/${name}`).filter(([rest]) => /^[0-9a-f]{38}$/.test(rest))
        .map(([rest]) => ({ oid: name + rest, path: this.#path(name + rest) }))
    ).sort((a, b) => byName(a.oid, b.oid));
  }

  /** Packs: where they are, without an ending, and the ids of what they have. */
  packed() {
    const directory = `${this.#gitdir}/objects/pack`;
    return list(directory).filter(([name]) => name.endsWith(".idx")).map(([name]) => {
      const path = `${directory}/${name}`;
      const ids = idsOfPack(readBytes(path));
      if (!ids) throw fatal(`${path} is corrupt, or of a kind that is not read here`);
      return { path: path.slice(0, -4), ids };
    });
  }

  async short(oid, length = SHORT) {
    if (length >= oid.length) return oid;
    const others = await this.matching(oid.slice(0, length));
    let digits = length;
    while (digits < 40 && others.some((other) => other !== oid && other.startsWith(oid.slice(0, digits)))) {
      digits++;
    }
    return oid.slice(0, digits);
  }

  async #parse(oid, type, parse) {
    const kept = this.#parsed.get(oid);
    if (kept) return kept;
    const made = parse((await this.read(oid, type)).bytes, oid);
    if (this.#parsed.size >= MOST_KEPT) this.#parsed.clear();
    this.#parsed.set(oid, made);
    return made;
  }
  commit(oid) {
    return this.#parse(oid, "commit", parseCommit);
  }
  tag(oid) {
    return this.#parse(oid, "tag", parseTag);
  }
  tree(oid) {
    return this.#parse(oid, "tree", parseTree);
  }

  /** The files of a tree: modes and ids by paths. */
  async files(oid, prefix = "", into = new Map()) {
    for (const { mode, name, oid: each } of await this.tree(oid)) {
      if (mode === "040000") await this.files(each, `${prefix}${name}/`, into);
      else into.set(prefix + name, { mode, oid: each });
    }
    return into;
  }

  /** Writes the trees of such files. @param put What becomes of the bytes of each. @returns the id of the topmost. */
  writeTree(files, put = (bytes) => this.write("tree", bytes)) {
    const top = new Map();
    for (const [path, { mode, oid }] of files) {
      const parts = path.split("/");
      const name = parts.pop();
      let at = top;
      for (const part of parts) {
        if (!(at.get(part) instanceof Map)) at.set(part, new Map());
        at = at.get(part);
      }
      at.set(name, { mode, oid });
    }
    const write = (entries) => {
      const rows = [...entries].map(([name, entry]) =>
        entry instanceof Map ? { name, mode: "40000", oid: write(entry) } : { name, ...entry }
      );
      return this.writeEntries(rows, put);
    };
    return write(top);
  }

  /** Writes one tree: entries with modes as trees have them. @returns its id. */
  writeEntries(entries, put = (bytes) => this.write("tree", bytes)) {
    const key = ({ mode, name }) => mode === "40000" ? `${name}/` : name;
    const rows = [...entries].sort((a, b) => byName(key(a), key(b)));
    const parts = rows.flatMap(({ mode, name, oid }) => [encode(`${mode} ${name}\0`), bytesOfHex(oid)]);
    return put(concat(parts));
  }
}

/** The ids that an index of a pack has; undefined if it is none of version 2. */
function idsOfPack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = 8 + 256 * 4;
  if (bytes.length < start || view.getUint32(0) !== 0xff744f63 || view.getUint32(4) !== 2) return undefined;
  const count = view.getUint32(start - 4);
  if (start + count * 20 > bytes.length) return undefined;
  return Array.from(
    { length: count },
    (_, at) => hexOf(bytes.subarray(start + at * 20, start + at * 20 + 20)),
  );
}

/** In the order of their bytes. */
export const byName = (a, b) => a < b ? -1 : a > b ? 1 : 0;

function unframed(oid, stored) {
  let whole;
  try {
    whole = inflate(stored);
  } catch (error) {
    throw fatal(`loose object ${oid} is corrupt: ${error.message}`);
  }
  const end = whole.indexOf(0);
  const [type, size] = decode(whole.subarray(0, Math.max(end, 0))).split(" ");
  const bytes = whole.subarray(end + 1);
  if (end < 0 || Number(size) !== bytes.length || sha1(whole) !== oid) {
    throw fatal(`loose object ${oid} is corrupt`);
  }
  return { type, bytes: new Uint8Array(bytes) };
}

function parseTree(bytes) {
  const entries = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, space);
    if (space < 0 || end < 0 || end + 21 > bytes.length) throw fatal("a tree is corrupt");
    const mode = decode(bytes.subarray(at, space)).padStart(6, "0");
    const name = decode(bytes.subarray(space + 1, end));
    if (name === "" || name === "." || name === ".." || name.includes("/") || name.toLowerCase() === ".git") {
      throw fatal(`a tree has an entry that can't be a file: '${name}'`);
    }
    entries.push({ mode, name, oid: hexOf(bytes.subarray(end + 1, end + 21)) });
    at = end + 21;
  }
  return entries;
}

/** Headers by their names, each a list, and the message. */
function parseHeaders(bytes) {
  let text = decodeStrictly(bytes) ?? Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const headers = {};
  let last;
  while (text !== "") {
    const end = text.indexOf("\n");
    const line = end < 0 ? text : text.slice(0, end);
    text = end < 0 ? "" : text.slice(end + 1);
    if (line === "") break;
    if (line.startsWith(" ")) {
      if (last) last[last.length - 1] += `\n${line.slice(1)}`;
      continue;
    }
    const space = line.indexOf(" ");
    last = headers[line.slice(0, space)] ??= [];
    last.push(line.slice(space + 1));
  }
  return { headers, message: text };
}

/** A name, an address, and when: seconds, and the time zone as it is written. */
export function parsePerson(text = "") {
  const [, name = "", email = "", time = "0", zone = "+0000"] =
    /^(.*?) ?<([^>]*)>(?: (-?\d+) ([+-]\d+))?/.exec(text) ?? [];
  return { name, email, time: Number(time), zone };
}
export const personText = ({ name, email, time, zone }) => `${name} <${email}> ${time} ${zone}`;

function parseCommit(bytes, oid) {
  const { headers, message } = parseHeaders(bytes);
  const { tree: [tree] = [], parent: parents = [], author: [author] = [], committer: [committer] = [] } =
    headers;
  return { oid, tree, parents, author: parsePerson(author), committer: parsePerson(committer), message };
}

function parseTag(bytes, oid) {
  const { headers, message } = parseHeaders(bytes);
  const { object: [object] = [], type: [type] = [], tag: [tag] = [], tagger: [tagger] = [] } = headers;
  return { oid, object, type, tag, tagger: tagger && parsePerson(tagger), message };
}

export const commitBytes = ({ tree, parents, author, committer, message }) =>
  encode([
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${personText(author)}`,
    `committer ${personText(committer)}`,
    "",
    message,
  ].join("\n"));
export const tagBytes = ({ object, type, tag, tagger, message }) =>
  encode(`object ${object}\ntype ${type}\ntag ${tag}\ntagger ${personText(tagger)}\n\n${message}`);
