/** `describe`: the tag that a commit follows. */
import { changesBetween } from "../compare.js";
import { parseOptions } from "../options.js";
import { commitOf, peel } from "../revisions.js";
import { openRepository } from "../repository.js";
import { fatal, out } from "../system.js";
import { readIndex, readTracked } from "../worktree.js";
import { walk } from "../walk.js";
import { headFiles } from "./staging.js";

/** Of names for one commit the one of the highest rank is taken. */
const [OTHER, LIGHT, ANNOTATED] = [0, 1, 2];

export async function describe(args) {
  const options = parseOptions(
    "describe",
    args,
    "tags always abbrev= long dirty[=] all exact-match !match= !contains",
  );
  const repository = await openRepository({ bare: true });
  const { objects, refs } = repository;
  const oid = await commitOf(repository, options.operands[0] ?? "HEAD");
  const tags = new Map();
  const all = options.has("all");
  for (const [ref, id] of await refs.list(all ? "refs/" : "refs/tags/")) {
    const commit = await peel(objects, id, "commit");
    const isTag = ref.startsWith("refs/tags/");
    const rank = isTag && commit !== id ? ANNOTATED : isTag ? LIGHT : OTHER;
    if (!commit || (rank < ANNOTATED && !all && !options.has("tags"))) continue;
    const time = rank === ANNOTATED ? (await objects.tag(id)).tagger?.time ?? 0 : 0;
    const known = tags.get(commit);
    if (!known || rank > known.rank || (rank === known.rank && time > known.time)) {
      tags.set(commit, { name: ref.slice(all ? "refs/".length : "refs/tags/".length), rank, time });
    }
  }
  const dirty = options.has("dirty") && await isDirty(repository) ? options.value("dirty") ?? "-dirty" : "";
  let best;
  const reachable = [];
  for await (const commit of walk(objects, [oid])) reachable.push(commit.oid);
  for (const each of reachable) {
    const tag = tags.get(each);
    if (!tag) continue;
    let count = 0;
    for await (const _ of walk(objects, [oid], { hidden: [each] })) count++;
    if (!best || count < best.count) best = { ...tag, count };
    if (count === 0) break;
  }
  const digits = options.number("abbrev", 7);
  const short = await objects.short(oid, Math.max(4, digits));
  if (!best || (options.has("exact-match") && best.count > 0)) {
    if (options.has("always")) return out(`${short}${dirty}\n`);
    if (options.has("exact-match")) throw fatal(`no tag exactly matches '${oid}'`);
    throw tags.size > 0
      ? fatal(`No tags can describe '${oid}'.\nTry --always, or create some tags.`)
      : fatal("No names found, cannot describe anything.");
  }
  const suffix = (best.count > 0 || options.has("long")) && digits > 0 ? `-${best.count}-g${short}` : "";
  out(`${best.name}${suffix}${dirty}\n`);
}

async function isDirty(repository) {
  const { files } = await readIndex(repository);
  const tracked = await readTracked(repository);
  return changesBetween(await headFiles(repository), files).length > 0 ||
    changesBetween(files, tracked).length > 0;
}
