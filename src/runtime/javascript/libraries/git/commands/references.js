/** `for-each-ref`, `show-ref`: references, and what is told of them. */
import { formatDate, relativeDate } from "../dates.js";
import { parseOptions } from "../options.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { ancestors, peel, resolve } from "../revisions.js";
import { Failure, fatal, out } from "../system.js";
import { glob } from "./branches.js";
import { upstreamOf } from "./status.js";

/** A reference by a pattern as `--format` and for-each-ref take it. */
export async function refText(repository, pattern, { ref = "", name, oid, mark }) {
  const { objects } = repository;
  const parts = pattern.split(/(%\([^)]*\)|%%)/);
  let text = "";
  for (const part of parts) {
    const field = /^%\((.*)\)$/.exec(part)?.[1];
    if (field === undefined) {
      text += part === "%%" ? "%" : part;
      continue;
    }
    if (field === "HEAD") text += mark ?? " ";
    else if (field === "refname") text += ref;
    else if (field === "refname:short") text += name;
    else if (/^refname:(?:lstrip|strip)=\d+$/.test(field)) {
      text += ref.split("/").slice(Number(field.split("=")[1])).join("/");
    } else if (/^upstream(?::(?:short|track))?$/.test(field)) {
      const upstream = ref.startsWith("refs/heads/") ? await upstreamOf(repository, name) : undefined;
      text += upstream === undefined ? "" : upstreamField(upstream, field.slice("upstream:".length));
    } else if (field.startsWith("*")) {
      const isTag = (await objects.read(oid)).type === "tag";
      text += isTag ? await objectText(repository, await peel(objects, oid), field.slice(1)) : "";
    } else text += await objectText(repository, oid, field);
  }
  return text;
}

const upstreamField = ({ name, ref, gone, ahead, behind }, what) =>
  what === "short"
    ? name
    : what === ""
    ? ref
    : gone
    ? "[gone]"
    : [[ahead, "ahead"], [behind, "behind"]].filter(([count]) => count > 0).map(([count, word]) =>
      `${word} ${count}`
    )
      .join(", ").replace(/^.+$/, "[$&]");

/** A field that is the object's own: a tag has its tagger's, a commit that of its author and committer. */
async function objectText(repository, oid, field) {
  const { objects } = repository;
  const { type } = await objects.read(oid);
  if (field === "objectname") return oid;
  if (field === "objectname:short") return await objects.short(oid);
  if (field === "objecttype") return type;
  const found = type === "tag"
    ? await objects.tag(oid)
    : type === "commit"
    ? await objects.commit(oid)
    : { message: "" };
  const { subject, body } = partsOf(found.message);
  if (field === "subject" || field === "contents:subject") return subject;
  if (field === "body" || field === "contents:body") return body;
  if (field === "contents") return found.message;
  if (field === "tag") return found.tag ?? "";
  if (field === "object") return found.object ?? "";
  if (field === "parent") return (found.parents ?? []).join(" ");
  if (field === "tree") return found.tree ?? "";
  const [, role, what, shape] =
    /^(author|committer|tagger|creator)(name|email|date)?(?::(.*))?$/.exec(field) ?? [];
  if (role === undefined || (shape !== undefined && what !== "date")) {
    throw fatal(`unknown field name: ${field}`);
  }
  const person = role === "creator" ? found.tagger ?? found.committer : found[role];
  if (!person) return "";
  const date = () =>
    shape === "relative" ? relativeDate(person.time) : formatDate(person, shape ?? "default");
  if (what === "name") return person.name;
  if (what === "email") return `<${person.email}>`;
  return what === "date" ? date() : `${person.name} <${person.email}> ${person.time} ${person.zone}`;
}

export async function forEachRef(args) {
  const options = parseOptions(
    "for-each-ref",
    args,
    "format= sort= count= merged=? no-merged=? contains=? no-contains=? points-at=?",
  );
  const repository = await openRepository({ bare: true });
  if (options.has("sort") && !/^-?(refname|committerdate|creatordate)$/.test(options.value("sort"))) {
    throw fatal(`references can't be sorted by ${options.value("sort")} here`);
  }
  const head = await repository.refs.head();
  const related = await relatedBy(repository, options);
  const rows = [];
  for (const [ref, oid] of await repository.refs.list("refs/")) {
    const named = options.operands.some((each) =>
      ref === each || ref.startsWith(each.endsWith("/") ? each : `${each}/`) || glob(each).test(ref)
    );
    if (options.operands.length > 0 && !named) continue;
    const commit = await peel(repository.objects, oid, "commit");
    if (!await related(commit, oid)) continue;
    const tag = (await repository.objects.read(oid)).type === "tag"
      ? await repository.objects.tag(oid)
      : undefined;
    const time = tag?.tagger?.time ?? (commit ? (await repository.objects.commit(commit)).committer.time : 0);
    rows.push({
      ref,
      name: ref.replace(/^refs\/(heads|tags|remotes)\//, ""),
      oid,
      mark: ref === head.ref ? "*" : " ",
      time,
    });
  }
  const order = options.value("sort") ?? "refname";
  if (order.endsWith("date")) rows.sort((a, b) => a.time - b.time);
  if (order.startsWith("-")) rows.reverse();
  for (const row of rows.slice(0, options.number("count", rows.length))) {
    out(
      `${await refText(
        repository,
        options.value("format") ?? "%(objectname) %(objecttype)\t%(refname)",
        row,
      )}\n`,
    );
  }
}

/** Whether a reference is of those that `--merged`, `--contains` and the like ask for: any of the commits of each will do. */
async function relatedBy(repository, options) {
  const { objects } = repository;
  const idsOf = async (option) => {
    const ids = [];
    for (const name of options.all(option)) {
      const oid = await resolve(repository, name ?? "HEAD");
      const commit = oid && await peel(objects, oid, "commit");
      if (!oid || (!commit && option !== "points-at")) {
        throw option.endsWith("merged")
          ? fatal(`malformed object name ${name ?? "HEAD"}`)
          : new Failure(`error: malformed object name ${name ?? "HEAD"}\n`, 129);
      }
      ids.push(option === "points-at" ? oid : commit);
    }
    return ids;
  };
  const below = async (ids) => ids.length === 0 ? undefined : await ancestors(objects, ids);
  const [merged, unmerged] = [await below(await idsOf("merged")), await below(await idsOf("no-merged"))];
  const [inside, outside] = [await idsOf("contains"), await idsOf("no-contains")];
  const points = options.has("points-at") ? await idsOf("points-at") : undefined;
  const has = async (commit, ids) => {
    const known = await ancestors(objects, [commit]);
    return ids.some((each) => known.has(each));
  };
  const asked = merged ?? unmerged ?? (inside.length > 0 || outside.length > 0 ? true : undefined);
  return async (commit, oid) => {
    if (points && !points.includes(oid) && !points.includes(await peel(objects, oid))) return false;
    if (asked === undefined) return true;
    if (!commit || (merged && !merged.has(commit)) || unmerged?.has(commit)) return false;
    if (inside.length > 0 && !await has(commit, inside)) return false;
    return outside.length === 0 || !await has(commit, outside);
  };
}

export async function showRef(args) {
  const options = parseOptions(
    "show-ref",
    args,
    "head heads|branches tags d|dereference s|hash[=] abbrev[=] verify q|quiet !exists",
  );
  const repository = await openRepository({ bare: true });
  const { refs, objects } = repository;
  const kinds = [["branches", "refs/heads/"], ["tags", "refs/tags/"]].filter(([name]) => options.has(name));
  const all = await refs.list("refs/");
  const head = await refs.resolve("HEAD");
  if (head && (options.has("head") || options.has("verify"))) all.unshift(["HEAD", head]);
  const matches = (ref) =>
    options.has("verify")
      ? options.operands.includes(ref)
      : (ref === "HEAD" || kinds.length === 0 || kinds.some(([, prefix]) => ref.startsWith(prefix))) &&
        (options.operands.length === 0 || ref === "HEAD" ||
          options.operands.some((each) => `/${ref}`.endsWith(`/${each}`)));
  const found = all.filter(([ref]) => matches(ref));
  if (options.has("verify") && found.length < options.operands.length) {
    const missing = options.operands.find((each) => !found.some(([ref]) => ref === each));
    if (options.has("quiet")) return 1;
    throw fatal(`'${missing}' - not a valid ref`);
  }
  if (!options.has("quiet")) {
    const line = async (oid, ref) => {
      const digits = options.value("hash") ?? options.value("abbrev");
      const shown = digits !== undefined || options.has("abbrev")
        ? await objects.short(oid, Number(digits ?? 7))
        : oid;
      out(options.has("hash") ? `${shown}\n` : `${shown} ${ref}\n`);
    };
    for (const [ref, oid] of found) {
      await line(oid, ref);
      if (options.has("dereference") && (await objects.read(oid)).type === "tag") {
        await line(await peel(objects, oid), `${ref}^{}`);
      }
    }
  }
  return found.length > 0 ? 0 : 1;
}
