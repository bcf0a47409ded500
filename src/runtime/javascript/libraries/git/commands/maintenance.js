/** `fsck`, `count-objects`, `prune`, and what would pack objects: `gc`, `repack`, `maintenance`. */
import { parseSince } from "../dates.js";
import { byName, EMPTY_TREE } from "../objects.js";
import { parseOptions } from "../options.js";
import { linksOf, reachedFrom, rootsOf } from "../reachable.js";
import { openRepository } from "../repository.js";
import { Failure, fatal, note, out, removeFile, stat } from "../system.js";

const BLOCK = 4096;
const UNITS = ["KiB", "MiB", "GiB"];
const [CORRUPT, UNREACHABLE] = [1, 2];

/** All objects with their types and what they name. @param broken Called with those that can't be read. */
async function readAll({ objects }, broken) {
  const ids = new Set([
    ...objects.loose().map(({ oid }) => oid),
    ...objects.packed().flatMap(({ ids }) => ids),
  ]);
  const [types, links] = [new Map(), new Map()];
  for (const oid of [...ids].sort(byName)) {
    try {
      const { type } = await objects.read(oid);
      const named = await linksOf(objects, oid, type);
      types.set(oid, type);
      links.set(oid, named);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      broken(oid, error);
    }
  }
  return { types, links };
}

/** In the order of git's table of objects: the low bits of an id say where it is, and what is taken moves it on. */
function inTable(ids) {
  let table = new Array(32);
  const put = (oid) => {
    let at = parseInt(oid.slice(0, 8).match(/../g).reverse().join(""), 16) % table.length;
    while (table[at] !== undefined) at = (at + 1) % table.length;
    table[at] = oid;
  };
  let count = 0;
  for (const oid of [...ids].sort(byName)) {
    if (table.length - 1 <= count++ * 2) {
      const before = table;
      table = new Array(before.length * 2);
      for (const each of before) if (each !== undefined) put(each);
    }
    put(oid);
  }
  return table.filter((oid) => oid !== undefined);
}

export async function fsck(args) {
  const options = parseOptions(
    "fsck",
    args,
    `full no-full strict no-strict dangling no-dangling unreachable reflogs no-reflogs root tags cache progress no-progress
    connectivity-only v|verbose !lost-found !name-objects`,
  );
  if (options.everything.length > 0) throw fatal("git fsck takes no objects here: it looks at all of them");
  if (options.has("no-full", "verbose")) {
    throw fatal("git fsck looks at all objects here, and tells of those that lack");
  }
  const repository = await openRepository({ bare: true });
  const { refs, objects } = repository;
  let code = 0;
  const { types, links } = await readAll(repository, (oid, error) => {
    note(`${error.message.replace(/^fatal/, "error")}error: ${oid}: object corrupt or missing\n`);
    code |= CORRUPT;
  });
  const head = await refs.head();
  if (!head.oid) note(`notice: HEAD points to an unborn branch (${head.branch ?? "HEAD"})\n`);
  const { roots, lost } = await rootsOf(repository, {
    logs: options.last("reflogs", "no-reflogs") !== "no-reflogs",
  });
  if ((await refs.list("refs/")).length === 0) note("notice: No default references\n");
  const lacking = new Map();
  for (const [oid, ref] of [...roots]) {
    if (types.has(oid) || oid === EMPTY_TREE) continue;
    if (ref === ":") lacking.set(oid, "blob");
    else {
      note(`error: ${ref}: invalid sha1 pointer ${oid}\n`);
      code |= UNREACHABLE;
      roots.delete(oid);
    }
  }
  for (const [oid, ref] of lost) {
    note(`error: ${ref}: invalid reflog entry ${oid}\n`);
    code |= UNREACHABLE;
  }
  if (options.has("root", "tags")) out(await tellRoots(objects, types, options));
  const reached = reachedFrom(roots.keys(), links);
  for (const [oid, named] of links) {
    for (const [to, type] of named) {
      const own = types.get(to) ?? (to === EMPTY_TREE ? "tree" : undefined);
      if (own === undefined) {
        lacking.set(to, type);
        if (type !== "blob" && reached.has(oid)) {
          out(
            `broken link from ${types.get(oid).padStart(7)} ${oid}\n              to ${
              type.padStart(7)
            } ${to}\n`,
          );
        }
      } else if (own !== type) {
        note(`error: object ${to} is a ${own}, not a ${type}\n`);
        code |= CORRUPT;
      }
    }
  }
  const used = new Set([...links.values()].flat().map(([oid]) => oid));
  const dangling = options.last("dangling", "no-dangling") !== "no-dangling";
  for (const oid of inTable(new Set([...types.keys(), ...lacking.keys()]))) {
    const type = types.get(oid);
    if (type === undefined) {
      if (!reached.has(oid)) continue;
      out(`missing ${lacking.get(oid)} ${oid}\n`);
      code |= UNREACHABLE;
    } else if (reached.has(oid)) continue;
    else if (options.has("unreachable")) out(`unreachable ${type} ${oid}\n`);
    else if (dangling && !used.has(oid)) out(`dangling ${type} ${oid}\n`);
  }
  return code;
}

/** Commits without parents, and what tags are of. */
async function tellRoots(objects, types, options) {
  const lines = [];
  for (const [oid, own] of types) {
    if (options.has("root") && own === "commit" && (await objects.commit(oid)).parents.length === 0) {
      lines.push(`root ${oid}\n`);
    }
    if (options.has("tags") && own === "tag") {
      const { type, object, tag } = await objects.tag(oid);
      lines.push(`tagged ${type} ${object} (${tag}) in ${oid}\n`);
    }
  }
  return lines.join("");
}

/** What files take of a disk, which is whole blocks of it. */
const onDisk = (path) => Math.ceil((stat(path)?.size ?? 0) / BLOCK) * BLOCK;

function human(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  let [size, at] = [bytes / 1024, 0];
  while (size >= 1024 && at < UNITS.length - 1) [size, at] = [size / 1024, at + 1];
  return `${(Math.floor(size * 100) / 100).toFixed(2)} ${UNITS[at]}`;
}

export async function countObjects(args) {
  const options = parseOptions("count-objects", args, "v|verbose H|human-readable");
  const { objects } = await openRepository({ bare: true });
  const loose = objects.loose();
  const size = loose.reduce((sum, { path }) => sum + onDisk(path), 0);
  const shown = (bytes) => options.has("human-readable") ? human(bytes) : `${Math.floor(bytes / 1024)}`;
  if (!options.has("verbose")) {
    const kilobytes = options.has("human-readable") ? human(size) : `${shown(size)} kilobytes`;
    return out(`${loose.length} objects, ${kilobytes}\n`);
  }
  const packs = objects.packed();
  const packed = new Set(packs.flatMap(({ ids }) => ids));
  const sizes = packs.map(({ path }) => (stat(`${path}.pack`)?.size ?? 0) + (stat(`${path}.idx`)?.size ?? 0));
  const rows = [
    ["count", loose.length],
    ["size", shown(size)],
    ["in-pack", packs.reduce((sum, { ids }) => sum + ids.length, 0)],
    ["packs", packs.length],
    ["size-pack", shown(sizes.reduce((sum, each) => sum + each, 0))],
    ["prune-packable", loose.filter(({ oid }) => packed.has(oid)).length],
    ["garbage", 0],
    ["size-garbage", shown(0)],
  ];
  out(rows.map(([name, value]) => `${name}: ${value}\n`).join(""));
}

/** Throws away the objects that nothing names. */
export async function prune(args) {
  const options = parseOptions("prune", args, "n|dry-run v|verbose expire= progress no-progress");
  if (options.everything.length > 0) throw fatal("git prune takes no objects here");
  const repository = await openRepository({ bare: true });
  const expire = options.value("expire") ?? "now";
  const before = ["now", "all"].includes(expire)
    ? Infinity
    : expire === "never"
    ? -Infinity
    : parseSince(expire);
  const { types, links } = await readAll(repository, (_, error) => {
    throw error;
  });
  const reached = reachedFrom((await rootsOf(repository)).roots.keys(), links);
  const lacks = [...reached].find((oid) => !types.has(oid));
  if (lacks !== undefined) throw fatal(`bad object ${lacks}: without it nothing is known to be unreachable`);
  for (const { oid, path } of repository.objects.loose()) {
    if (reached.has(oid) || stat(path).mtimeMs / 1000 > before) continue;
    if (options.has("dry-run", "verbose")) out(`${oid} ${types.get(oid)}\n`);
    if (!options.has("dry-run")) removeFile(path);
  }
}

/** Objects stay as they are: nothing is packed here, and nothing thrown away. */
export async function gc(args) {
  parseOptions("gc", args, "q|quiet auto aggressive prune[=] no-prune force no-detach");
  await openRepository({ bare: true });
}

/** As {@link gc}. */
export async function repack(args) {
  const options = parseOptions(
    "repack",
    args,
    `a A d f F l n q|quiet window= depth= threads= max-pack-size= window-memory= b|write-bitmap-index no-write-bitmap-index
    k|keep-unreachable unpack-unreachable= cruft m|write-midx g|geometric= !filter=`,
  );
  const { objects } = await openRepository({ bare: true });
  if (objects.loose().length === 0 && !options.has("quiet")) out("Nothing new to pack.\n");
}

const TASKS = ["gc", "loose-objects", "incremental-repack", "commit-graph", "pack-refs"];

/** As {@link gc}. */
export async function maintenance(args) {
  const [verb, ...rest] = args;
  if (verb === undefined) {
    throw new Failure("error: need a subcommand\nusage: git maintenance <subcommand> [<options>]\n", 129);
  }
  if (verb !== "run") throw fatal(`git maintenance ${verb} is not supported here`);
  const options = parseOptions("maintenance run", rest, "auto quiet schedule= task=");
  if (options.all("task").includes("prefetch")) {
    throw fatal("git maintenance run --task=prefetch is not supported here");
  }
  const odd = options.all("task").find((task) => !TASKS.includes(task));
  if (odd !== undefined) throw new Failure(`error: '${odd}' is not a valid task\n`, 129);
  await openRepository({ bare: true });
}
