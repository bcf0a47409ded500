/** `archive`: the files of a tree as one file. */
import { gzipped, tarOf, zipOf } from "../archive_bytes.js";
import { now } from "../dates.js";
import { parseOptions } from "../options.js";
import { openRepository } from "../repository.js";
import { peel, resolve } from "../revisions.js";
import { absolute, fatal, out, writeBytes } from "../system.js";
import { Pathspec } from "../worktree.js";

const SHAPES = {
  tar: tarOf,
  "tar.gz": (...given) => gzipped(tarOf(...given)),
  tgz: (...given) => gzipped(tarOf(...given)),
  zip: zipOf,
};
const SUBMODULE = "160000";

export async function archive(args) {
  const options = parseOptions(
    "archive",
    args,
    "l|list v|verbose prefix= o|output= format= !remote= !add-file= !worktree-attributes",
  );
  if (options.has("list")) return out(`${Object.keys(SHAPES).sort().join("\n")}\n`);
  const repository = await openRepository({ bare: true });
  const { objects } = repository;
  const [name, ...rest] = options.operands;
  if (name === undefined) throw fatal("must specify tree-ish", 129);
  const output = options.value("output");
  const format = options.value("format") ?? /\.(tar\.gz|tgz|zip)$/.exec(output ?? "")?.[1] ?? "tar";
  if (!Object.hasOwn(SHAPES, format)) throw fatal(`Unknown archive format '${format}'`);
  const oid = await resolve(repository, name);
  if (!oid) throw fatal(`not a valid object name: ${name}`);
  const commit = await peel(objects, oid, "commit");
  const tree = await peel(objects, oid, "tree");
  if (!tree) throw fatal(`not a tree object: ${oid}`);
  const paths = new Pathspec(repository, [...rest, ...options.paths ?? []]);
  const prefix = options.value("prefix") ?? "";
  const files = [];
  const made = new Set();
  const folders = (path) => {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
      const folder = path.slice(0, at + 1);
      if (made.has(folder)) continue;
      made.add(folder);
      files.push({ path: folder, mode: 0, bytes: new Uint8Array(0) });
    }
  };
  for (const [path, { mode, oid: id }] of await objects.files(tree)) {
    if (!paths.isEmpty && !paths.matches(path)) continue;
    folders(prefix + path + (mode === SUBMODULE ? "/" : ""));
    if (mode === SUBMODULE) continue;
    files.push({ path: prefix + path, mode: parseInt(mode, 8), bytes: (await objects.read(id)).bytes });
  }
  const [missing] = paths.unused;
  if (missing !== undefined) throw fatal(`pathspec '${missing}' did not match any files`);
  const time = commit ? (await objects.commit(commit)).committer.time : now();
  const bytes = SHAPES[format](files, { time, commit });
  if (output === undefined) out(bytes);
  else writeBytes(absolute(output), bytes);
}
