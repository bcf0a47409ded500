/** `rev-parse`: what names stand for, and where the repository is. */
import { isRevision, rangeOf, resolve, unknownRevision } from "../revisions.js";
import { openRepository } from "../repository.js";
import { fatal, out, relative, started } from "../system.js";

export async function revParse(args) {
  const plain = [
    "--show-toplevel",
    "--git-dir",
    "--absolute-git-dir",
    "--is-inside-work-tree",
    "--is-inside-git-dir",
    "--is-bare-repository",
    "--show-prefix",
    "--show-cdup",
    "--git-common-dir",
  ];
  const repository = await openRepository({ bare: true });
  let abbrev, symbolic, quiet = false, verify = false;
  const found = [];
  for (const [at, arg] of args.entries()) {
    if (plain.includes(arg)) {
      out(`${placeOf(repository, arg)}\n`);
      continue;
    }
    if (arg === "--verify") verify = true;
    else if (arg === "-q" || arg === "--quiet") quiet = true;
    else if (arg === "--short") abbrev = 7;
    else if (/^--short=\d+$/.test(arg)) abbrev = Number(arg.slice(8));
    else if (arg === "--abbrev-ref" || arg === "--abbrev-ref=strict" || arg === "--abbrev-ref=loose") {
      symbolic = "short";
    } else if (arg === "--symbolic-full-name") symbolic = "full";
    else if (arg === "--git-path") {
      out(`${shownDirectory(repository)}/${args[at + 1]}\n`);
      return;
    } else if (arg === "--") out("--\n");
    else if (["--all", "--branches", "--tags", "--remotes"].includes(arg)) {
      const prefix = {
        "--all": "refs/",
        "--branches": "refs/heads/",
        "--tags": "refs/tags/",
        "--remotes": "refs/remotes/",
      }[arg];
      for (const [, oid] of await repository.refs.list(prefix)) out(`${oid}\n`);
    } else if (arg.startsWith("--")) throw fatal(`git rev-parse ${arg} is not supported here`);
    else found.push(arg);
  }
  for (const name of found) {
    const code = await parseOne(repository, name, { abbrev, symbolic, quiet, verify });
    if (code) return code;
  }
  if (verify && found.length !== 1) {
    if (quiet) return 1;
    throw fatal("Needed a single revision");
  }
}

async function parseOne(repository, name, { abbrev, symbolic, quiet, verify }) {
  const { refs, objects } = repository;
  if (symbolic) {
    const head = name === "HEAD" || name === "@" ? await refs.head() : undefined;
    const upstream = /^(.*)@\{(u|upstream)\}$/.exec(name);
    if (upstream) {
      throw fatal(`no upstream configured for branch '${upstream[1] || (await refs.head()).branch}'`);
    }
    const found = head?.oid ? { ref: head.ref ?? "HEAD" } : await refs.find(name);
    if (!found && await isRevision(repository, name)) return void out("");
    if (!found) {
      out(`${name}\n`);
      throw unknownRevision(name);
    }
    return void out(
      `${symbolic === "full" ? found.ref : found.ref.replace(/^refs\/(heads|tags|remotes)\//, "")}\n`,
    );
  }
  const range = name.includes("..") && await rangeOf(repository, name);
  if (range) {
    const excluded = range.kind === ".." ? [range.from] : range.bases;
    return void out(
      [range.to, ...range.kind === "..." ? [range.from] : []].map((oid) => `${oid}\n`).join("") +
        excluded.map((oid) => `^${oid}\n`).join(""),
    );
  }
  const negated = name.startsWith("^");
  const oid = await resolve(repository, negated ? name.slice(1) : name);
  if (!oid) {
    if (verify) {
      if (quiet) return 1;
      throw fatal("Needed a single revision");
    }
    if (quiet) return 1;
    out(`${name}\n`);
    throw unknownRevision(name);
  }
  out(`${negated ? "^" : ""}${abbrev ? await objects.short(oid, Math.max(4, abbrev)) : oid}\n`);
}

function shownDirectory({ gitdir, top }) {
  const cwd = started.cwd;
  if (top === cwd) return ".git";
  return gitdir === cwd ? "." : gitdir;
}
function placeOf(repository, arg) {
  const { gitdir, top, prefix } = repository;
  const inGit = started.cwd === gitdir || started.cwd.startsWith(`${gitdir}/`);
  switch (arg) {
    case "--show-toplevel":
      if (top === undefined || inGit) throw fatal("this operation must be run in a work tree");
      return top;
    case "--git-dir":
    case "--git-common-dir":
      return shownDirectory(repository);
    case "--absolute-git-dir":
      return gitdir;
    case "--is-inside-work-tree":
      return `${top !== undefined && !inGit}`;
    case "--is-inside-git-dir":
      return `${inGit}`;
    case "--is-bare-repository":
      return `${top === undefined}`;
    case "--show-prefix":
      return prefix === "" ? "" : `${prefix}/`;
    default:
      return prefix === "" ? "" : `${relative(`/${prefix}`, "/")}/`;
  }
}
