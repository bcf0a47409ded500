/** Notes on objects: a branch of their own, whose tree has a file for each object that has one. */
import { commitBytes } from "./objects.js";
import { isValidName } from "./refs.js";
import { fatal, started } from "./system.js";

export const DEFAULT_REF = "refs/notes/commits";

const wholeName = (name) =>
  name.startsWith("refs/notes/") ? name : name.startsWith("notes/") ? `refs/${name}` : `refs/notes/${name}`;

/** The reference that is meant. @param given What `--ref` or `--notes` says. */
export async function notesRef({ config }, given) {
  if (await config.get("notes.displayref") !== undefined) {
    throw fatal("notes.displayRef is not supported here");
  }
  const ref = given === undefined
    ? started.env.GIT_NOTES_REF ?? await config.get("core.notesref") ?? DEFAULT_REF
    : wholeName(given);
  if (!ref.startsWith("refs/notes/") || !isValidName(ref)) {
    throw fatal(`refusing to use notes in ${ref} (outside of refs/notes/)`);
  }
  return ref;
}

export class Notes {
  #repository;
  #files;
  /** Paths by ids: those of many notes are in directories. */
  #paths = new Map();
  #before;

  /** @param ref Its full name; there may be none yet. */
  constructor(repository, ref) {
    this.#repository = repository;
    this.ref = ref;
  }

  async load() {
    const { refs, objects } = this.#repository;
    this.#before = await refs.resolve(this.ref);
    this.#files = this.#before ? await objects.files((await objects.commit(this.#before)).tree) : new Map();
    for (const path of this.#files.keys()) {
      const oid = path.replaceAll("/", "");
      if (/^[0-9a-f]{40}$/.test(oid)) this.#paths.set(oid, path);
    }
    return this;
  }

  /** What it is called above its text. */
  get label() {
    return this.ref === DEFAULT_REF ? "Notes" : `Notes (${this.ref.slice("refs/notes/".length)})`;
  }

  /** Ids of objects with those of their notes. */
  get entries() {
    return [...this.#paths].map(([oid, path]) => [oid, this.#files.get(path).oid]);
  }
  /** The id of the note on an object; undefined if there is none. */
  get(oid) {
    return this.#files.get(this.#paths.get(oid))?.oid;
  }
  /** Its bytes; undefined if there is none. */
  async read(oid) {
    const note = this.get(oid);
    return note && (await this.#repository.objects.read(note, "blob")).bytes;
  }

  set(oid, bytes) {
    const spread = [...this.#paths.values()].some((path) => path.includes("/"));
    const path = this.#paths.get(oid) ?? (spread ? `${oid.slice(0, 2)}/${oid.slice(2)}` : oid);
    this.#paths.set(oid, path);
    this.#files.set(path, { mode: "100644", oid: this.#repository.objects.write("blob", bytes) });
  }
  remove(oid) {
    this.#files.delete(this.#paths.get(oid));
    this.#paths.delete(oid);
  }

  /** Makes a commit of what has changed. */
  async save(why) {
    const { refs, objects } = this.#repository;
    const [author, committer] = [
      await this.#repository.person("AUTHOR"),
      await this.#repository.person("COMMITTER"),
    ];
    const tree = objects.writeTree(this.#files);
    const parents = this.#before ? [this.#before] : [];
    const oid = objects.write(
      "commit",
      commitBytes({ tree, parents, author, committer, message: `${why}\n` }),
    );
    await refs.update(this.ref, oid, { who: committer, why: `notes: ${why}` });
  }
}

/** The notes that commits are shown with. @param byDefault Whether they are where nothing is said of them. */
export async function shownNotes(repository, options, byDefault) {
  let [own, others, given] = [byDefault, [], false];
  for (const [name, value] of options.given) {
    if (name === "no-notes") [own, others] = [false, []];
    if (name !== "notes") continue;
    own = value === undefined || (own && given);
    if (value !== undefined) others.push(await notesRef(repository, value));
    given = true;
  }
  const refs = [...own ? [await notesRef(repository)] : [], ...others];
  const shown = [];
  for (const ref of new Set(refs)) shown.push(await new Notes(repository, ref).load());
  return shown;
}
