/** `tag`. */
import { tagBytes } from "../objects.js";
import { parseOptions } from "../options.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { commitOf, isAncestor, peel, resolve } from "../revisions.js";
import { absolute, decode, failed, fatal, note, out, readInput, readText } from "../system.js";
import { checkName, glob } from "./branches.js";
import { cleaned } from "./commit.js";
import { refText } from "./references.js";

export async function tag(args) {
  const options = parseOptions(
    "tag",
    args,
    "a|annotate m|message= F|file= d|delete l|list n[=] f|force sort= contains=? points-at= !s|sign !u= !v|verify format= no-column !i|ignore-case !cleanup=",
  );
  const repository = await openRepository({ bare: true });
  const { refs, objects } = repository;
  const [name, target = "HEAD"] = options.operands;
  if (options.has("delete")) {
    let code = 0;
    for (const each of options.operands) {
      const oid = await refs.resolve(`refs/tags/${each}`);
      if (!oid) {
        note(`error: tag '${each}' not found.\n`);
        code = 1;
        continue;
      }
      await refs.remove(`refs/tags/${each}`);
      out(`Deleted tag '${each}' (was ${await objects.short(oid)})\n`);
    }
    return code;
  }
  const lists = options.has("list", "n", "contains", "points-at", "sort", "format");
  if (name === undefined || lists) return await listTags(repository, options);
  checkName(name, "tag");
  const oid = await resolve(repository, target);
  if (!oid) throw fatal(`Failed to resolve '${target}' as a valid ref.`);
  const existing = await refs.resolve(`refs/tags/${name}`);
  if (existing && !options.has("force")) throw fatal(`tag '${name}' already exists`);
  let made = oid;
  if (options.has("annotate", "message", "file")) {
    const lines = options.all("message");
    const file = options.value("file");
    const text = lines.length > 0
      ? lines.join("\n\n")
      : file === "-"
      ? decode(readInput())
      : file && readText(absolute(file));
    if (text === undefined) {
      throw failed(
        "Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.",
      );
    }
    const message = cleaned(text);
    if (message === "") throw fatal("no tag message?");
    const { type } = await objects.read(oid);
    made = objects.write(
      "tag",
      tagBytes({ object: oid, type, tag: name, tagger: await repository.person("COMMITTER"), message }),
    );
  }
  await refs.update(`refs/tags/${name}`, made);
  if (existing && existing !== made) out(`Updated tag '${name}' (was ${await objects.short(existing)})\n`);
}

async function listTags(repository, options) {
  const { refs, objects } = repository;
  const patterns = options.operands.map(glob);
  const lines = Number(options.value("n") ?? (options.has("n") ? 1 : 0));
  if (lines > 1) throw fatal("git tag -n shows one line here");
  const rows = [];
  for (const [ref, oid] of await refs.list("refs/tags/")) {
    const name = ref.slice(10);
    if (patterns.length > 0 && !patterns.some((each) => each.test(name))) continue;
    const commit = await peel(objects, oid, "commit");
    if (
      options.has("contains") &&
      !(commit &&
        await isAncestor(objects, await commitOf(repository, options.value("contains") ?? "HEAD"), commit))
    ) continue;
    if (options.has("points-at") && commit !== await commitOf(repository, options.value("points-at"))) {
      continue;
    }
    const { type } = await objects.read(oid);
    const own = type === "tag" ? await objects.tag(oid) : commit && await objects.commit(commit);
    rows.push({
      ref,
      name,
      oid,
      subject: partsOf(own?.message ?? "").subject,
      time: (own?.tagger ?? own?.committer)?.time ?? 0,
    });
  }
  const order = options.value("sort") ?? "refname";
  const field = order.replace(/^-/, "");
  if (field === "version:refname" || field === "v:refname") {
    rows.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  } else if (["creatordate", "taggerdate", "committerdate"].includes(field)) {
    rows.sort((a, b) => a.time - b.time);
  } else if (field !== "refname") throw fatal(`tags can't be sorted by ${field} here`);
  if (order.startsWith("-")) rows.reverse();
  for (const row of rows) {
    if (options.has("format")) out(`${await refText(repository, options.value("format"), row)}\n`);
    else out(lines > 0 ? `${row.name.padEnd(15)} ${row.subject}\n` : `${row.name}\n`);
  }
}
