/** `ls-files`, `clean`. */
import { Ignored, untrackedFiles } from "../ignored.js";
import { byName } from "../objects.js";
import { parseOptions } from "../options.js";
import { quotePath } from "../patch.js";
import { openRepository } from "../repository.js";
import { failed, fatal, lstat, out, removeTree } from "../system.js";
import { Pathspec, readIndex, readTracked, removeWorkFile } from "../worktree.js";
import { filesBelow, fromHere } from "./staging.js";

export async function lsFiles(args) {
  const options = parseOptions(
    "ls-files",
    args,
    "c|cached d|deleted m|modified o|others i|ignored s|stage u|unmerged z exclude-standard error-unmatch full-name !k|killed directory !t",
  );
  const repository = await openRepository();
  const { files, unmerged } = await readIndex(repository);
  const end = options.has("z") ? "\0" : "\n";
  const pathspec = new Pathspec(repository, options.everything);
  const scope = repository.prefix;
  const inScope = (path) =>
    pathspec.isEmpty ? scope === "" || path.startsWith(`${scope}/`) : pathspec.matches(path);
  const shown = (path) => {
    const named = options.has("full-name") ? path : fromHere(repository, path);
    return end === "\0" ? named : quotePath(named);
  };
  const lines = [];
  if (options.has("others")) {
    const known = new Map([...files, ...unmerged]);
    const both = await untrackedFiles(repository, known, { ignored: true, whole: options.has("directory") });
    const others = options.has("ignored")
      ? both.ignored.flatMap((path) =>
        options.has("directory") ? [path] : filesBelow(repository, path.replace(/\/$/, ""))
      )
      : options.has("exclude-standard")
      ? both.untracked
      : [
        ...both.untracked,
        ...both.ignored.flatMap((path) => filesBelow(repository, path.replace(/\/$/, ""))),
      ];
    if (options.has("ignored") && !options.has("exclude-standard")) {
      throw fatal("ls-files --ignored needs some exclude pattern");
    }
    lines.push(...others.sort(byName).filter(inScope).map(shown));
  }
  const tracked = options.has("deleted", "modified") ? await readTracked(repository) : undefined;
  if (options.has("deleted")) {
    lines.push(...[...files.keys()].filter((path) => !tracked.has(path) && inScope(path)).map(shown));
  }
  if (options.has("modified")) {
    lines.push(
      ...[...files].filter(([path, { oid, mode }]) => {
        const now = tracked.get(path);
        return inScope(path) && (now?.oid !== oid || now.mode !== mode);
      }).map(([path]) => shown(path)),
    );
  }
  if (options.has("stage", "unmerged")) {
    const rows = [...unmerged].flatMap(([path, stages]) =>
      Object.entries(stages).map(([number, side]) => [path, number, side])
    );
    if (options.has("stage") && !options.has("unmerged")) {
      rows.push(...[...files].map(([path, side]) => [path, "0", side]));
    }
    rows.sort(([a, x], [b, y]) => byName(a, b) || byName(x, y));
    lines.push(
      ...rows.filter(([path]) => inScope(path)).map(([path, number, { mode, oid }]) =>
        `${mode} ${oid} ${number}\t${shown(path)}`
      ),
    );
  } else if (options.has("cached") || !options.has("deleted", "modified", "others")) {
    lines.push(
      ...[...new Set([...files.keys(), ...unmerged.keys()])].sort(byName).filter(inScope).map(shown),
    );
  }
  out(lines.map((line) => `${line}${end}`).join(""));
  const missing = pathspec.unused;
  if (!options.has("error-unmatch") || missing.length === 0) return;
  throw failed(
    `pathspec '${missing[0]}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
  );
}

export async function clean(args) {
  const options = parseOptions("clean", args, "f|force d n|dry-run q|quiet x X e|exclude=");
  const repository = await openRepository();
  if (!options.has("force", "dry-run") && await repository.config.flag("clean.requireforce", true)) {
    throw fatal("clean.requireForce is true and -f not given: refusing to clean");
  }
  const { files, unmerged } = await readIndex(repository);
  const known = new Map([...files, ...unmerged]);
  const patterns = options.all("exclude");
  // What -x takes as well, -e keeps.
  const alone = options.has("x") && patterns.length > 0;
  const rules = await new Ignored(repository, { patterns, alone }).load();
  const both = await untrackedFiles(repository, known, { whole: true, ignored: true, rules });
  const pathspec = new Pathspec(repository, options.everything);
  const scope = repository.prefix;
  const wholly = options.has("x", "X") && !alone;
  const chosen = [...options.has("X") ? [] : both.untracked, ...wholly ? both.ignored : []]
    .sort(byName);
  for (const path of chosen) {
    const directory = path.endsWith("/");
    const plain = path.replace(/\/$/, "");
    if (directory && (!options.has("d") || lstat(`${repository.file(plain)}/.git`))) continue;
    if (!(pathspec.isEmpty ? scope === "" || path.startsWith(`${scope}/`) : pathspec.matches(plain))) {
      continue;
    }
    const targets = directory && !wholly
      ? filesBelow(repository, plain).filter((each) => !rules.has(each))
      : undefined;
    const whole = targets === undefined || targets.length === filesBelow(repository, plain).length;
    for (const each of whole ? [path] : targets) {
      if (!options.has("quiet") || options.has("dry-run")) {
        out(
          `${options.has("dry-run") ? "Would remove" : "Removing"} ${
            quotePath(fromHere(repository, each))
          }\n`,
        );
      }
      if (options.has("dry-run")) continue;
      if (each.endsWith("/")) removeTree(repository.file(plain));
      else removeWorkFile(repository, each);
    }
  }
}
