/** A repository: where it is, who works on it, and what names stand for in it. */
import { GitIndexManager } from "isomorphic-git/managers";
import { FileSystem } from "isomorphic-git/models";
import { Config } from "./config.js";
import { now, parseDate } from "./dates.js";
import { Objects } from "./objects.js";
import { Refs } from "./refs.js";
import {
  absolute,
  fatal,
  fileClient,
  isDirectory,
  isFile,
  parentOf,
  readText,
  realPath,
  started,
  stat,
} from "./system.js";

const NOT_HERE = "not a git repository (or any of the parent directories): .git";

const isRepository = (path) =>
  isDirectory(`${path}/objects`) && isDirectory(`${path}/refs`) && stat(`${path}/HEAD`) !== undefined;

/** @returns undefined if there is none around the directory. */
function discover() {
  const { GIT_DIR, GIT_WORK_TREE } = started.env;
  if (GIT_DIR) {
    const gitdir = absolute(GIT_DIR);
    if (!isRepository(gitdir)) throw fatal(`not a git repository: '${GIT_DIR}'`);
    return { gitdir, top: GIT_WORK_TREE ? absolute(GIT_WORK_TREE) : started.cwd };
  }
  for (let at = realPath(started.cwd);; at = parentOf(at)) {
    const inside = at === "/" ? "/.git" : `${at}/.git`;
    if (isRepository(inside)) return { gitdir: inside, top: at };
    if (isFile(inside)) {
      const named = /^gitdir: (.*)/.exec(readText(inside))?.[1];
      const gitdir = named && absolute(named.trim(), at);
      if (!gitdir || !isRepository(gitdir)) throw fatal(`not a git repository: ${named ?? inside}`);
      return { gitdir, top: at };
    }
    if (isRepository(at)) return { gitdir: at, top: undefined };
    if (at === "/") return undefined;
  }
}

export async function openRepository({ bare = false } = {}) {
  const found = discover();
  if (!found) throw fatal(NOT_HERE);
  const repository = new Repository(found);
  await repository.check();
  if (!bare) repository.needTree();
  return repository;
}
export function findRepository() {
  const found = discover();
  return found && new Repository(found);
}

export class Repository {
  #cache = {};
  #fs = new FileSystem(fileClient);

  constructor({ gitdir, top }) {
    this.gitdir = gitdir;
    this.top = top;
    this.objects = new Objects(gitdir);
    this.refs = new Refs(gitdir);
    this.config = new Config(gitdir);
  }

  async check() {
    if (isFile(`${this.gitdir}/commondir`)) {
      throw fatal("further work trees of a repository are not supported here");
    }
    const version = Number(await this.config.get("core.repositoryformatversion") ?? 0);
    const extensions = (await this.config.entries()).filter(([key]) =>
      /^extensions\.(?!noop|preciousobjects)/.test(key)
    );
    if (version > 1) throw fatal(`Expected git repo version <= 1, found ${version}`);
    const odd = version === 1 &&
      extensions.find(([key, value]) =>
        !(key === "extensions.objectformat" && value === "sha1") &&
        !(key === "extensions.refstorage" && value === "files")
      );
    if (odd) {
      throw fatal(`unknown repository extension found: ${odd[0].slice("extensions.".length)} = ${odd[1]}`);
    }
    const isBare = !started.env.GIT_WORK_TREE && await this.config.flag("core.bare", false);
    if (isBare) this.top = undefined;
  }

  needTree() {
    if (this.top === undefined) throw fatal("this operation must be run in a work tree");
  }

  /** A path of the work tree, as the file system has it. */
  file(path) {
    return this.top === "/" ? `/${path}` : `${this.top}/${path}`;
  }

  /** What a directory is called in the work tree; "" for its top. @throws {Failure} outside of it. */
  within(path, shown = path) {
    const top = this.top === "/" ? "" : this.top;
    if (path === this.top) return "";
    if (!path.startsWith(`${top}/`)) {
      throw fatal(`${shown}: '${shown}' is outside repository at '${this.top}'`);
    }
    return path.slice(top.length + 1);
  }
  /** The working directory, as {@link within} has it. */
  get prefix() {
    if (this.top === undefined) return "";
    const cwd = realPath(started.cwd);
    return cwd === this.top || cwd.startsWith(this.top === "/" ? "/" : `${this.top}/`)
      ? this.within(cwd)
      : "";
  }

  /** Works on isomorphic-git's index; what is changed in it is written. */
  async index(work) {
    try {
      return await GitIndexManager.acquire({ fs: this.#fs, gitdir: this.gitdir, cache: this.#cache }, work);
    } catch (error) {
      if (error.code === "InternalError" || error.code === "UnsafeFilepathError") {
        throw fatal(`index file corrupt or of a kind that is not read here: ${error.message}`);
      }
      throw error;
    }
  }
  /** When the index was written. */
  get indexTime() {
    return stat(`${this.gitdir}/index`)?.mtimeMs ?? 0;
  }

  /**
   * Who does something: as configured, or else the session's user, as git takes a machine's user where its host has a
   * whole name. The first commit that somebody makes in a sandbox need not fail for that.
   *
   * @param role "AUTHOR" or "COMMITTER".
   */
  async person(role, { date } = {}) {
    const { env } = started;
    const own = role.toLowerCase();
    const { USER = "user" } = env;
    const name = env[`GIT_${role}_NAME`] || await this.config.get(`${own}.name`) ||
      await this.config.get("user.name") || USER;
    const email = env[`GIT_${role}_EMAIL`] ?? await this.config.get(`${own}.email`) ??
      await this.config.get("user.email") ?? env.EMAIL ?? `${USER}@localhost`;
    const wanted = date ?? env[`GIT_${role}_DATE`];
    const when = wanted ? parseDate(wanted) : { time: now(), zone: "+0000" };
    if (!when) throw fatal(`invalid date format: ${wanted}`);
    const clean = (text) => text.replace(/[<>\n]/g, "").replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/g, "");
    return { name: clean(name), email: clean(email), ...when };
  }
  /** For a log of references: who did what. */
  async because(why) {
    return { who: await this.person("COMMITTER"), why };
  }
}
