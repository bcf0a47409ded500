/** `remote`: the names of other repositories. */
import { readConfig } from "../config.js";
import { parseOptions } from "../options.js";
import { pruneRemote } from "./transfer.js";
import { openRepository } from "../repository.js";
import { Failure, fatal, out } from "../system.js";

export async function remote(args) {
  const options = parseOptions("remote", args, "v|verbose push !add !delete !all n|dry-run");
  const repository = await openRepository({ bare: true });
  const [verb, name, url] = options.operands;
  const entries = await repository.config.entries();
  const urls = entries.filter(([key]) => /^remote\..*\.url$/.test(key)).map((
    [key, value],
  ) => [key.slice(7, -4), value]);
  const known = new Map(urls);
  const pushed = new Map(
    entries.filter(([key]) => /^remote\..*\.pushurl$/.test(key)).map((
      [key, value],
    ) => [key.slice(7, -8), value]),
  );
  if (options.has("push") && !["get-url", "set-url"].includes(verb)) {
    throw fatal(`git remote ${verb ?? ""} takes no --push`);
  }
  if (options.has("dry-run") && verb !== "prune") throw fatal(`git remote ${verb ?? ""} takes no -n`);
  if (verb === undefined) {
    for (const [each, value] of [...known].sort()) {
      out(
        options.has("verbose")
          ? `${each}\t${value} (fetch)\n${each}\t${pushed.get(each) ?? value} (push)\n`
          : `${each}\n`,
      );
    }
    return;
  }
  const missing = () => new Failure(`error: No such remote '${name}'\n`, 2);
  if (verb === "get-url") {
    if (!known.has(name)) throw missing();
    return out(`${(options.has("push") ? pushed.get(name) : undefined) ?? known.get(name)}\n`);
  }
  if (verb === "prune") {
    if (!known.has(name)) throw fatal(`'${name}' does not appear to be a git repository`);
    return await pruneRemote(repository, name, options.has("dry-run"));
  }
  const file = await readConfig(repository.config.path);
  if (verb === "add") {
    if (url === undefined) throw new Failure("usage: git remote add [<options>] <name> <url>\n", 129);
    if (known.has(name)) throw new Failure(`error: remote ${name} already exists.\n`, 3);
    await file.set(`remote.${name}.url`, url);
    await file.set(`remote.${name}.fetch`, `+refs/heads/*:refs/remotes/${name}/*`, true);
  } else if (verb === "remove" || verb === "rm") {
    if (!known.has(name)) throw missing();
    file.removeSection(`remote.${name}`);
    for (const [ref] of await repository.refs.list(`refs/remotes/${name}/`)) {
      await repository.refs.remove(ref);
    }
  } else if (verb === "set-url") {
    if (!known.has(name)) throw missing();
    if (url === undefined) throw new Failure("usage: git remote set-url [--push] <name> <newurl>\n", 129);
    await file.set(`remote.${name}.${options.has("push") ? "pushurl" : "url"}`, url);
  } else throw fatal(`git remote ${verb} is not supported here`);
  file.save();
}
