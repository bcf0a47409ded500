/** What names stand for: branches, tags, ids, `HEAD~2`, `main:file`, `A..B`. */
import { absolute, fatal } from "./system.js";

const SUFFIX = /^(.*?)((?:\^\{\w*\}|\^\d*|~\d*|@\{[^}]*\})*)$/s;

export const unknownRevision = (name) =>
  fatal(
    `ambiguous argument '${name}': unknown revision or path not in the working tree.\n` +
      "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'",
  );

/** @returns the id of an object; undefined if the name stands for nothing. */
export async function resolve(repository, name) {
  const colon = name.indexOf(":");
  if (colon === 0) return await inIndex(repository, name.slice(1));
  if (colon > 0) return await inTree(repository, name.slice(0, colon), name.slice(colon + 1));
  const [, base, suffixes] = SUFFIX.exec(name);
  let oid = await baseOf(repository, base === "" && suffixes.startsWith("@{") ? "HEAD" : base, suffixes);
  for (const suffix of suffixes.match(/\^\{\w*\}|\^\d*|~\d*|@\{[^}]*\}/g) ?? []) {
    if (oid === undefined) return undefined;
    oid = suffix.startsWith("@{") ? oid : await step(repository, oid, suffix);
  }
  return oid;
}

async function baseOf(repository, name, suffixes) {
  const { refs, objects } = repository;
  const at = /^@\{([^}]*)\}/.exec(suffixes)?.[1];
  if (at !== undefined) return await inLog(repository, name, at);
  if (/^[0-9a-f]{40}$/.test(name)) return name;
  const found = await refs.find(name);
  if (found) return found.oid;
  const digits = /^(?:.*-g)?([0-9a-f]{4,40})$/.exec(name)?.[1];
  if (!digits) return undefined;
  const matching = await objects.matching(digits);
  if (matching.length <= 1) return matching[0];
  const commits = [];
  for (const oid of matching) if ((await objects.find(oid))?.type === "commit") commits.push(oid);
  if (commits.length === 1) return commits[0];
  throw fatal(`ambiguous argument '${name}': short object ID ${digits} is ambiguous`);
}

async function inLog(repository, name, at) {
  if (/^-\d+$/.test(at) && name === "HEAD") {
    return await resolve(repository, previousBranch(repository, Number(at.slice(1))));
  }
  const { refs } = repository;
  if (!/^\d+$/.test(at)) {
    throw fatal(`@{${at}} is not supported here: a log is asked for by a number, as in HEAD@{1}`);
  }
  const found = name === "HEAD" || name === "" ? { ref: "HEAD" } : await refs.find(name);
  if (!found) return undefined;
  const log = refs.log(found.ref);
  if (Number(at) >= log.length) {
    if (Number(at) === 0) return await refs.resolve(found.ref);
    throw fatal(`log for '${name}' only has ${log.length} entries`);
  }
  return log[Number(at)].after;
}

async function step({ objects }, oid, suffix) {
  if (suffix.startsWith("^{")) {
    const wanted = suffix.slice(2, -1);
    if (wanted === "object") return oid;
    return await peel(objects, oid, wanted === "" ? undefined : wanted);
  }
  let at = await peel(objects, oid, "commit");
  const count = suffix.length === 1 ? 1 : Number(suffix.slice(1));
  if (suffix.startsWith("^")) return count === 0 ? at : (await objects.commit(at)).parents[count - 1];
  for (let left = count; left > 0 && at !== undefined; left--) at = (await objects.commit(at)).parents[0];
  return at;
}

/** @param wanted A type; absent: anything but a tag. @returns undefined if there is no way to one. */
export async function peel(objects, oid, wanted) {
  for (;;) {
    const found = await objects.find(oid);
    if (!found) return undefined;
    if (wanted === undefined ? found.type !== "tag" : found.type === wanted) return oid;
    if (found.type === "tag") oid = (await objects.tag(oid)).object;
    else if (found.type === "commit" && wanted === "tree") oid = (await objects.commit(oid)).tree;
    else return undefined;
  }
}

async function inTree(repository, revision, path) {
  const start = await resolve(repository, revision);
  if (start === undefined) throw fatal(`invalid object name '${revision}'.`);
  const tree = await peel(repository.objects, start, "tree");
  const shown = /^\.\.?\//.test(path) ? repository.within(absolute(path)) : path;
  const found = await entryOf(repository.objects, tree, shown);
  if (!found) throw fatal(`path '${shown}' does not exist in '${revision}'`);
  return found.oid;
}

/** What of a tree lies at a path. */
export async function entryOf(objects, tree, path) {
  let at = { mode: "040000", oid: tree };
  for (const part of path.split("/").filter((each) => each !== "")) {
    if (at?.mode !== "040000") return undefined;
    at = (await objects.tree(at.oid)).find(({ name }) => name === part);
  }
  return at;
}

async function inIndex(repository, path) {
  const [, stage = "0", name] = /^(?:([0-3]):)?(.*)$/.exec(path);
  const entry = await repository.index((index) => index.entriesMap.get(name));
  const found = stage === "0" ? (entry?.flags.stage === 0 ? entry : undefined) : entry?.stages[Number(stage)];
  if (!found) throw fatal(`path '${name}' is not in the index`);
  return found.oid;
}

/** The commit that a name stands for. @throws {Failure} */
export async function commitOf(repository, name) {
  const oid = await resolve(repository, name);
  const commit = oid && await peel(repository.objects, oid, "commit");
  if (!commit) {
    if (oid && await repository.objects.has(oid)) throw fatal(`${name}: not a commit`);
    throw unknownRevision(name);
  }
  return commit;
}

/** Whether a name stands for something, without a word if it does not. */
export async function isRevision(repository, name) {
  try {
    return await resolve(repository, name) !== undefined;
  } catch {
    return false;
  }
}

/** Takes `A..B`, `A...B`, `^A` and plain names apart. */
export async function rangeOf(repository, name) {
  const dots = /^(.*?)(\.\.\.?)(.*)$/.exec(name);
  if (dots && !name.includes("/../")) {
    const [, left, kind, right] = dots;
    const [a, b] = [await commitOf(repository, left || "HEAD"), await commitOf(repository, right || "HEAD")];
    return kind === ".."
      ? { from: a, to: b, kind }
      : { from: a, to: b, kind, bases: await mergeBases(repository.objects, a, b) };
  }
  return undefined;
}

/** All commits that can be reached, as a set. */
export async function ancestors(objects, starts) {
  const found = new Set();
  const waiting = [...starts];
  while (waiting.length > 0) {
    const oid = waiting.pop();
    if (found.has(oid)) continue;
    found.add(oid);
    waiting.push(...(await objects.commit(oid)).parents);
  }
  return found;
}

export const isAncestor = async (objects, one, of) => (await ancestors(objects, [of])).has(one);

/** The best common ancestors: those that no other one descends from. */
export async function mergeBases(objects, a, b) {
  const ofA = await ancestors(objects, [a]);
  const common = new Set();
  const seen = new Set();
  const waiting = [b];
  while (waiting.length > 0) {
    const oid = waiting.pop();
    if (seen.has(oid)) continue;
    seen.add(oid);
    if (ofA.has(oid)) common.add(oid);
    else waiting.push(...(await objects.commit(oid)).parents);
  }
  const best = [];
  for (const oid of common) {
    let below = false;
    for (const other of common) {
      if (other !== oid && (await ancestors(objects, (await objects.commit(other)).parents)).has(oid)) {
        below = true;
      }
    }
    if (!below) best.push(oid);
  }
  const times = new Map();
  for (const oid of best) times.set(oid, (await objects.commit(oid)).committer.time);
  return best.sort((x, y) => times.get(y) - times.get(x));
}

/** The branch that was left by the n-th last switch, as `-` and `@{-1}` name it. */
export function previousBranch({ refs }, back = 1) {
  const moves = refs.log("HEAD").map(({ why }) => /^checkout: moving from (\S+) to /.exec(why)?.[1]).filter(
    Boolean,
  );
  const name = moves[back - 1];
  if (name === undefined) throw fatal(`invalid reference: @{-${back}}`);
  return name;
}
