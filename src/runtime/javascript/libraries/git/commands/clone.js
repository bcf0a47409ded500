/** `clone`: a repository of the session once more. */
import { SUBMODULE } from "../compare.js";
import { readConfig } from "../config.js";
import { parseOptions } from "../options.js";
import { Repository } from "../repository.js";
import {
  absolute,
  baseOf,
  fatal,
  isDirectory,
  list,
  makeDirectory,
  note,
  realPath,
  stat,
  writeText,
} from "../system.js";
import { force } from "../worktree.js";
import { makeRepository } from "./setup.js";
import { copyObjects, repositoryAt, written } from "./transfer.js";

export async function clone(args) {
  const options = parseOptions(
    "clone",
    args,
    "q|quiet bare b|branch= n|no-checkout o|origin= no-hardlinks l|local no-local single-branch !no-tags depth= progress recursive|recurse-submodules[=] shallow-submodules no-shallow-submodules",
  );
  const [url, given] = options.everything;
  if (url === undefined) throw fatal("You must specify a repository to clone.", 129);
  const source = repositoryAt(url);
  if (!source) throw fatal(`repository '${url}' does not exist`);
  await source.check();
  if (options.has("depth")) {
    if (url.startsWith("file:")) {
      throw fatal("git clone --depth is not supported here: all of a history comes");
    }
    note("warning: --depth is ignored in local clones; use file:// instead.\n");
  }
  const bare = options.has("bare");
  const plain = baseOf(url.replace(/\/+$/, "").replace(/\/\.git$/, "")).replace(/\.git$/, "");
  const name = given ?? (bare ? `${plain}.git` : plain);
  const place = absolute(name);
  if (stat(place) && (!isDirectory(place) || list(place).length > 0)) {
    throw fatal(`destination path '${name}' already exists and is not an empty directory.`);
  }
  if (options.has("recurse-submodules")) await checkSubmodules(source, options);
  if (!options.has("quiet")) note(`Cloning into ${bare ? "bare repository " : ""}'${name}'...\n`);
  makeDirectory(place);
  const top = realPath(place);
  const head = await source.refs.head();
  const wanted = options.value("branch");
  const heads = await source.refs.list("refs/heads/");
  const guessed = head.ref ? head.branch : await guessBranch(source, heads, head.oid);
  const detached = wanted === undefined && guessed === undefined ? head.oid : undefined;
  const branch = wanted ?? guessed ?? "master";
  const gitdir = bare ? top : `${top}/.git`;
  makeRepository(gitdir, { bare, branch });
  const made = new Repository({ gitdir, top: bare ? undefined : top });
  const tags = await source.refs.list("refs/tags/");
  const tips = [...heads, ...tags].map(([, oid]) => oid);
  await copyObjects(source.objects, made.objects, detached ? [...tips, detached] : tips);
  const remote = options.value("origin") ?? "origin";
  const tip = detached ?? heads.find(([ref]) => ref === `refs/heads/${branch}`)?.[1];
  if (wanted !== undefined && !tip) throw fatal(`Remote branch ${wanted} not found in upstream ${remote}`);
  const log = await made.because(`clone: from ${written(url)}`);
  for (const [ref, oid] of heads) {
    await made.refs.update(bare ? ref : ref.replace("refs/heads/", `refs/remotes/${remote}/`), oid);
  }
  for (const [ref, oid] of tags) await made.refs.update(ref, oid);
  const file = await readConfig(made.config.path);
  for (const paths of options.all("recurse-submodules")) {
    await file.set("submodule.active", paths ?? ".", true);
  }
  await file.set(`remote.${remote}.url`, written(url));
  if (!bare) {
    await file.set(`remote.${remote}.fetch`, `+refs/heads/*:refs/remotes/${remote}/*`);
    if (!detached) {
      await file.set(`branch.${branch}.remote`, remote);
      await file.set(`branch.${branch}.merge`, `refs/heads/${branch}`);
    }
  }
  file.save();
  if (detached) await made.refs.pointHead({ oid: detached }, log);
  if (heads.length === 0) note("warning: You appear to have cloned an empty repository.\n");
  if (!bare && tip) {
    if (guessed !== undefined) {
      writeText(`${gitdir}/refs/remotes/${remote}/HEAD`, `ref: refs/remotes/${remote}/${guessed}\n`);
    }
    if (!detached) await made.refs.updateHead(tip, log);
    if (!options.has("no-checkout")) {
      await force(made, await made.objects.files((await made.objects.commit(tip)).tree));
    }
  }
  if (!options.has("quiet")) note("done.\n");
}

/** The branch that a HEAD without one may well be on. */
async function guessBranch({ config }, heads, oid) {
  const names = heads.filter(([, each]) => each === oid).map(([ref]) => ref.slice("refs/heads/".length));
  const usual = [await config.get("init.defaultbranch"), "master"];
  return usual.find((name) => names.includes(name)) ?? names[0];
}

/** @throws {Failure} where there are submodules: those are not supported here. */
async function checkSubmodules({ refs, objects }, options) {
  const wanted = options.value("branch");
  const tip = wanted === undefined ? (await refs.head()).oid : await refs.resolve(`refs/heads/${wanted}`);
  const files = tip ? await objects.files((await objects.commit(tip)).tree) : new Map();
  const found = [...files].find(([, { mode }]) => mode === SUBMODULE);
  if (found) {
    throw fatal(
      `git clone --recurse-submodules: ${found[0]} is a submodule, and those are not supported here`,
    );
  }
}
