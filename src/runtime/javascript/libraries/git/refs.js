/** References of a repository, and the logs of what they were. */
import { GitRefManager } from "isomorphic-git/managers";
import { FileSystem } from "isomorphic-git/models";
import { personText } from "./objects.js";
import {
  appendText,
  fatal,
  fileClient,
  readText,
  removeEmptyParents,
  removeFile,
  writeText,
} from "./system.js";

const NONE = "0".repeat(40);
const LOOKED_UP = [
  (name) => name,
  ...["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map((prefix) => (name) => prefix + name),
];
const PSEUDO = /^(?:[A-Z][A-Z_]*|refs\/.*)$/;

/** Whether a reference may be called so. */
export const isValidName = (name) =>
  // deno-lint-ignore no-control-regex -- these are what git refuses
  !/^[-/.]|\/$|\/\/|\.\.|@\{|\.lock(\/|$)|\.$|\/\.|[\x00-\x20\x7f~^:?*[\\]|^@$|^$/.test(name);

export class Refs {
  #gitdir;
  #fs = new FileSystem(fileClient);

  constructor(gitdir) {
    this.#gitdir = gitdir;
  }

  /** What it says: an id, or the name of another one; undefined if there is none. */
  async #read(ref) {
    const text = PSEUDO.test(ref) ? readFileText(`${this.#gitdir}/${ref}`)?.trim() : undefined;
    if (text) return text;
    const packed = await GitRefManager.packedRefs({ fs: this.#fs, gitdir: this.#gitdir });
    return packed.get(ref);
  }

  /** The id that a full name stands for; undefined if there is none. */
  async resolve(ref, depth = 5) {
    const text = await this.#read(ref);
    if (text?.startsWith("ref: ") && depth > 0) return await this.resolve(text.slice(5), depth - 1);
    return /^[0-9a-f]{40}$/.test(text?.slice(0, 40)) ? text.slice(0, 40) : undefined;
  }

  /** The full name of what is there under a name, and its id. */
  async find(name) {
    const short = name === "@" ? "HEAD" : name;
    for (const make of LOOKED_UP) {
      const ref = make(short);
      const oid = isValidName(ref) ? await this.resolve(ref) : undefined;
      if (oid) return { ref, oid };
    }
    const ref = `refs/remotes/${name}/HEAD`;
    const oid = isValidName(ref) ? await this.resolve(ref) : undefined;
    return oid && { ref, oid };
  }

  /** The branch that HEAD is on, if it is on one, and the commit, if there is one. */
  async head() {
    const text = await this.#read("HEAD") ?? "";
    const ref = text.startsWith("ref: ") ? text.slice(5) : undefined;
    return { ref, branch: ref?.replace(/^refs\/heads\//, ""), oid: await this.resolve("HEAD") };
  }

  /** Pairs of full names and ids, below a prefix that ends in a slash. */
  async list(prefix) {
    const names = await GitRefManager.listRefs({
      fs: this.#fs,
      gitdir: this.#gitdir,
      filepath: prefix.replace(/\/$/, ""),
    });
    const found = [];
    // Of packed tags the names of what they point to are listed, too.
    for (const name of [...new Set(names)].filter((each) => !each.endsWith("^{}")).sort()) {
      const oid = await this.resolve(prefix + name);
      if (oid) found.push([prefix + name, oid]);
    }
    return found;
  }

  /** Whether something stands in the way of a name. */
  async obstacle(ref) {
    const existing = (await this.list("refs/")).map(([name]) => name);
    return existing.find((name) => name.startsWith(`${ref}/`) || ref.startsWith(`${name}/`));
  }

  /** @param log Who, and why; absent: no log is kept. */
  async update(ref, oid, log) {
    const before = await this.resolve(ref);
    const obstacle = before === undefined && ref.startsWith("refs/") ? await this.obstacle(ref) : undefined;
    if (obstacle) throw fatal(`cannot lock ref '${ref}': '${obstacle}' exists; cannot create '${ref}'`);
    writeText(`${this.#gitdir}/${ref}`, `${oid}\n`);
    if (log) this.#log(ref, before, oid, log);
    return before;
  }

  /** Moves HEAD, or the branch that it is on, to a commit. */
  async updateHead(oid, log) {
    const { ref } = await this.head();
    const before = await this.resolve("HEAD");
    if (ref) await this.update(ref, oid, log);
    else writeText(`${this.#gitdir}/HEAD`, `${oid}\n`);
    this.#log("HEAD", before, oid, log);
  }

  /** Lets HEAD be a branch, or a commit itself. */
  async pointHead({ ref, oid }, log) {
    const before = await this.resolve("HEAD");
    writeText(`${this.#gitdir}/HEAD`, ref ? `ref: ${ref}\n` : `${oid}\n`);
    if (log && oid) this.#log("HEAD", before, oid, log);
  }

  #log(ref, before, after, { who, why }) {
    const keeps = ref === "HEAD" || /^refs\/(heads|remotes|notes)\//.test(ref) || ref === "refs/stash";
    if (!keeps) return;
    const told = why.replaceAll("\n", " ").trimEnd();
    const line = `${before ?? NONE} ${after} ${personText(who)}${told && `\t${told}`}\n`;
    appendText(`${this.#gitdir}/logs/${ref}`, line);
  }

  /** The newest first. */
  log(ref) {
    return (readText(`${this.#gitdir}/logs/${ref}`) ?? "").split("\n").filter((line) => line !== "").map(
      (line) => {
        const [head, why = ""] = line.split("\t");
        const [before, after, ...who] = head.split(" ");
        return { before, after, who: who.join(" "), why };
      },
    ).reverse();
  }
  /** @param entries The newest first. */
  writeLog(ref, entries) {
    const path = `${this.#gitdir}/logs/${ref}`;
    const oldestFirst = [...entries].reverse();
    const lines = oldestFirst.map(({ after, who, why }, at) =>
      `${oldestFirst[at - 1]?.after ?? NONE} ${after} ${who}\t${why}\n`
    );
    if (lines.length > 0) writeText(path, lines.join(""));
    else removeFile(path);
  }

  async remove(ref) {
    await GitRefManager.deleteRef({ fs: this.#fs, gitdir: this.#gitdir, ref });
    removeFile(`${this.#gitdir}/logs/${ref}`);
    removeEmptyParents(`${this.#gitdir}/${ref}`, `${this.#gitdir}/refs/heads`);
    removeEmptyParents(`${this.#gitdir}/logs/${ref}`, `${this.#gitdir}/logs/refs/heads`);
  }

  /** Carries the log of a branch over to its new name. */
  moveLog(from, to) {
    const path = `${this.#gitdir}/logs/${from}`;
    const text = readText(path);
    if (text === undefined) return;
    writeText(`${this.#gitdir}/logs/${to}`, text);
    removeFile(path);
  }

  /** State beside the references: MERGE_HEAD and the like. */
  file(name) {
    return `${this.#gitdir}/${name}`;
  }
}

function readFileText(path) {
  try {
    return readText(path);
  } catch (error) {
    if (error.code === "EISDIR") return undefined;
    throw error;
  }
}
