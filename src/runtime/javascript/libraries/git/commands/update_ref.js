/** `update-ref`: a reference by its whole name, changed if it is what it is thought to be. */
import { parseOptions } from "../options.js";
import { isValidName } from "../refs.js";
import { openRepository } from "../repository.js";
import { resolve } from "../revisions.js";
import { failed, Failure, fatal, isFile, readText, removeFile } from "../system.js";

const NONE = "0".repeat(40);
/** Names outside of `refs/` are those of git's own files there: HEAD, ORIG_HEAD. Any other could be one of its directories. */
const isOwn = (ref) => /^(?:[A-Z][A-Z_]*|refs\/.+)$/s.test(ref);
/** Names that no reference may have can be taken away, as long as they lead nowhere else. */
const leadsOut = (ref) => ref.split("/").some((part) => /^\.{0,2}$/.test(part)) || ref.includes("\0");

export async function updateRef(args) {
  const options = parseOptions("update-ref", args, "m= d no-deref !stdin !z !create-reflog");
  const deletes = options.has("d");
  const [given, ...values] = options.everything;
  if (given === undefined || values.length > (deletes ? 1 : 2) || (!deletes && values.length === 0)) {
    throw new Failure(
      "usage: git update-ref [<options>] -d <refname> [<old-val>]\n   or: git update-ref [<options>]    <refname> <new-val> [<old-val>]\n",
      129,
    );
  }
  if (options.value("m") === "") throw fatal("Refusing to perform update with empty message.");
  const repository = await openRepository({ bare: true });
  const idOf = async (text, kind) => {
    const oid = await resolve(repository, text);
    if (!oid) throw fatal(`${text}: not a valid ${kind}`);
    return oid;
  };
  const now = deletes ? NONE : await idOf(values[0], "SHA1");
  const wanted = values[deletes ? 0 : 1];
  const old = wanted === undefined ? undefined : wanted === "" ? NONE : await idOf(wanted, "old SHA1");
  const refuse = (why) => deletes ? failed(why) : fatal(`update_ref failed for ref '${given}': ${why}`);
  const isSafe = (name) => isOwn(name) && (deletes ? !leadsOut(name) : isValidName(name));
  if (!isSafe(given)) throw refuse(`refusing to update ref with bad name '${given}'`);
  const { refs } = repository;
  const ref = options.has("no-deref") ? given : target(repository, given);
  if (!isSafe(ref)) throw refuse(`refusing to update ref with bad name '${ref}'`);
  const before = await refs.resolve(ref);
  if (old !== undefined && old !== (before ?? NONE)) {
    throw refuse(
      `cannot lock ref '${given}': ${
        before === undefined
          ? `unable to resolve reference '${given}'`
          : old === NONE
          ? "reference already exists"
          : `is at ${before} but expected ${old}`
      }`,
    );
  }
  if (now === NONE) return await remove(repository, ref, before, refuse);
  await checkObject(repository, ref, now, refuse);
  const obstacle = before === undefined && ref.startsWith("refs/") ? await refs.obstacle(ref) : undefined;
  if (obstacle) throw refuse(`cannot lock ref '${ref}': '${obstacle}' exists; cannot create '${ref}'`);
  const log = await repository.because(options.value("m") ?? "");
  const head = await refs.head();
  if (ref === "HEAD") await refs.pointHead({ oid: now }, log);
  else if (ref === head.ref && before === now) await refs.pointHead(head, log);
  else if (ref === head.ref) await refs.updateHead(now, log);
  else if (before !== now) await refs.update(ref, now, log);
}

/** The reference that a symbolic one stands for. */
function target({ refs }, ref) {
  const text = isFile(refs.file(ref)) ? readText(refs.file(ref)) : "";
  return /^ref: (.*)/.exec(text)?.[1].trim() ?? ref;
}

async function checkObject({ objects }, ref, oid, refuse) {
  const found = await objects.find(oid);
  const why = !found
    ? `trying to write ref '${ref}' with nonexistent object ${oid}`
    : found.type !== "commit" && (ref === "HEAD" || ref.startsWith("refs/heads/"))
    ? `trying to write non-commit object ${oid} to branch '${ref}'`
    : undefined;
  if (why) throw refuse(`cannot update ref '${ref}': ${why}`);
}

async function remove({ refs }, ref, before, refuse) {
  if (ref === "HEAD") {
    throw fatal("without its HEAD this would be no repository any more: that is not done here");
  }
  const obstacle = before === undefined ? await refs.obstacle(ref) : undefined;
  if (obstacle) throw refuse(`cannot lock ref '${ref}': '${obstacle}' exists; cannot create '${ref}'`);
  if (before === undefined) return;
  if (isValidName(ref)) await refs.remove(ref);
  else removeFile(refs.file(ref));
}
