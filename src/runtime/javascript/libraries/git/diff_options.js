/** The options of all commands that show changes. */
import { contentOf, withRenames } from "./compare.js";
import { decode, fatal } from "./system.js";

export const DIFF_OPTIONS =
  `p|u|patch s|no-patch stat[=] numstat shortstat summary name-only name-status raw z U|unified=
  no-renames M|find-renames[=] w|ignore-all-space b|ignore-space-change ignore-space-at-eol full-index a|text no-color
  color[=] no-ext-diff diff-filter= R no-prefix src-prefix= dst-prefix= S=
  patch-with-stat`;

const FORMS = ["raw", "stat", "numstat", "shortstat", "summary", "name-only", "name-status"];

/** @param preset The form that is shown where none is asked for. */
export async function wantedOf(repository, options, preset = []) {
  const forms = FORMS.filter((form) => options.has(form));
  if (options.has("patch-with-stat")) forms.push("stat", "patch");
  if (options.has("patch") || options.has("unified")) forms.push("patch");
  const color = options.value("color") ?? (options.has("color") ? "always" : "never");
  if (color === "always" && options.last("color", "no-color") === "color") {
    throw fatal("there are no colours here: leave --color out");
  }
  const width = /^(\d+)/.exec(options.value("stat") ?? "")?.[1];
  const context = options.number("unified", Number(await repository.config.get("diff.context") ?? 3));
  const renames = options.value("find-renames");
  const silent = options.last("patch", "no-patch", "stat", "raw") === "no-patch";
  return {
    forms: silent ? [] : forms.length > 0 ? [...new Set(forms)] : preset,
    asked: forms.length > 0 || options.has("no-patch"),
    context,
    columns: width ? Number(width) : Number(repository.columns ?? 80),
    space: options.has("ignore-all-space")
      ? "all"
      : options.has("ignore-space-change")
      ? "amount"
      : options.has("ignore-space-at-eol")
      ? "end"
      : undefined,
    fullIndex: options.has("full-index"),
    text: options.has("text"),
    end: options.has("z") ? "\0" : "\n",
    renames: !options.has("no-renames") && await repository.config.get("diff.renames") !== "false",
    enough: renames ? shareOf(renames) : undefined,
    filter: options.value("diff-filter"),
    reverse: options.has("R"),
    needle: options.value("S"),
    prefixes: options.has("no-prefix")
      ? ["", ""]
      : [options.value("src-prefix") ?? "a/", options.value("dst-prefix") ?? "b/"],
  };
}

function shareOf(text) {
  const number = Number(text.replace("%", ""));
  if (!(number >= 0)) throw fatal(`invalid argument to find-renames: ${text}`);
  return text.endsWith("%") ? number / 100 : Number(`0.${text.replace(/^0\./, "")}`);
}

/** Changes of the kinds that `--diff-filter` names. */
export function filtered(changes, filter = "") {
  const wanted = filter.replace(/[a-z]/g, "");
  const unwanted = filter.replace(/[A-Z]/g, "").toUpperCase();
  return changes.filter(({ status }) =>
    (wanted === "" || wanted.includes(status)) && !unwanted.includes(status)
  );
}

/** Changes as the options want them: with renames, of some kinds, turned round. */
export async function selected(repository, changes, { renames, enough, filter, reverse, needle }) {
  let found = changes;
  if (reverse) {
    const turned = { A: "D", D: "A" };
    found = found.map(({ status, path, from, old, now }) => ({
      status: turned[status] ?? status,
      path: from,
      from: path,
      old: now,
      now: old,
    }));
  }
  if (renames) found = await withRenames(repository, found, enough === undefined ? {} : { enough });
  found = filtered(found, filter);
  if (needle === undefined) return found;
  const having = [];
  for (const change of found) {
    const [a, b] = [await contentOf(repository, change.old), await contentOf(repository, change.now)];
    if (decode(a).split(needle).length !== decode(b).split(needle).length) having.push(change);
  }
  return having;
}
