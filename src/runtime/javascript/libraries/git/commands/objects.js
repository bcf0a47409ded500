/** `cat-file`, `hash-object` and `ls-tree`: single objects. */
import { idOf } from "../objects.js";
import { parseOptions } from "../options.js";
import { quotePath } from "../patch.js";
import { entryOf, peel, resolve } from "../revisions.js";
import { openRepository } from "../repository.js";
import { absolute, Failure, fatal, out, readBytes, readInput } from "../system.js";

export async function catFile(args) {
  const options = parseOptions("cat-file", args, "t s p e");
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const kind = options.last("t", "s", "p", "e");
  const [first, second] = options.operands;
  const name = kind ? first : second;
  if (name === undefined) {
    throw new Failure("usage: git cat-file (-t | -s | -e | -p | <type>) <object>\n", 129);
  }
  const oid = await resolve(repository, name);
  if (kind === "e") return oid && await objects.has(oid) ? 0 : 1;
  if (!oid) throw fatal(`Not a valid object name ${name}`);
  const { type, bytes } = await objects.read(oid);
  if (kind === "t") return out(`${type}\n`);
  if (kind === "s") return out(`${bytes.length}\n`);
  if (!kind) {
    const wanted = await peel(objects, oid, first);
    if (!wanted) throw fatal(`git cat-file ${name}: bad file`);
    return out((await objects.read(wanted)).bytes);
  }
  if (type !== "tree") return out(bytes);
  for (const entry of await objects.tree(oid)) {
    out(`${entry.mode} ${typeOfMode(entry.mode)} ${entry.oid}\t${quotePath(entry.name)}\n`);
  }
}

const typeOfMode = (mode) => mode === "040000" ? "tree" : mode === "160000" ? "commit" : "blob";

export async function hashObject(args) {
  const options = parseOptions("hash-object", args, "w stdin t= no-filters");
  const type = options.value("t") ?? "blob";
  if (type !== "blob") throw fatal("git hash-object makes blobs here");
  const contents = options.has("stdin") ? [readInput()] : [];
  for (const name of options.everything) {
    const bytes = readBytes(absolute(name));
    if (!bytes) throw fatal(`could not open '${name}' for reading: No such file or directory`);
    contents.push(bytes);
  }
  const repository = options.has("w") ? await openRepository({ bare: true }) : undefined;
  for (const bytes of contents) {
    out(`${repository ? repository.objects.write("blob", bytes) : idOf("blob", bytes)}\n`);
  }
}

export async function lsTree(args) {
  const options = parseOptions(
    "ls-tree",
    args,
    "r t d l|long name-only name-status z full-tree full-name abbrev[=]",
  );
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const [name, ...paths] = options.operands;
  if (name === undefined) throw new Failure("usage: git ls-tree [<options>] <tree-ish> [<path>...]\n", 129);
  const oid = await resolve(repository, name);
  const tree = oid && await peel(objects, oid, "tree");
  if (!tree) throw fatal(`Not a valid object name ${name}`);
  const end = options.has("z") ? "\0" : "\n";
  const top = options.has("full-tree") ? "" : repository.prefix;
  const wanted = [...paths, ...options.paths ?? []].map((path) => top === "" ? path : `${top}/${path}`);
  const print = async ({ mode, oid, path }) => {
    const shown = end === "\0" ? path : quotePath(path);
    if (options.has("name-only", "name-status")) return out(`${shown}${end}`);
    const type = typeOfMode(mode);
    const size = options.has("long")
      ? ` ${(type === "blob" ? `${(await objects.read(oid)).bytes.length}` : "-").padStart(7)}`
      : "";
    const id = options.has("abbrev") ? await objects.short(oid, Number(options.value("abbrev") ?? 7)) : oid;
    out(`${mode} ${type} ${id}${size}\t${shown}${end}`);
  };
  const visit = async (id, prefix) => {
    for (const entry of await objects.tree(id)) {
      const path = `${prefix}${entry.name}`;
      const isTree = entry.mode === "040000";
      const inside = wanted.some((each) => each.startsWith(`${path}/`));
      const hit = wanted.length === 0 ||
        wanted.some((each) =>
          path === each.replace(/\/$/, "") || path.startsWith(each.endsWith("/") ? each : `${each}/`)
        );
      if (!hit && !inside) continue;
      const opens = isTree && (options.has("r") || inside);
      if (hit && (!opens || options.has("t")) && (!options.has("d") || isTree) && !(isTree && inside)) {
        await print({ ...entry, path });
      }
      if (opens) await visit(entry.oid, `${path}/`);
    }
  };
  if (top !== "" && wanted.length === 0) {
    const below = await entryOf(objects, tree, top);
    return below ? await visit(below.oid, "") : undefined;
  }
  await visit(tree, "");
}
