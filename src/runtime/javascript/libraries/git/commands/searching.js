/** `grep`, `check-ignore`, `symbolic-ref`. */
import { Ignored } from "../ignored.js";
import { byName } from "../objects.js";
import { parseOptions } from "../options.js";
import { quotePath } from "../patch.js";
import { openRepository } from "../repository.js";
import { isRevision, peel, resolve } from "../revisions.js";
import {
  absolute,
  decode,
  fatal,
  isDirectory,
  lstat,
  out,
  readBytes,
  readInput,
  readText,
} from "../system.js";
import { Pathspec, readIndex } from "../worktree.js";
import { fromHere } from "./staging.js";

const CLASSES = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "A-Za-z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`{-~",
  xdigit: "0-9A-Fa-f",
};

/** Where a bracket expression ends that begins at `at`. */
function bracketEnd(text, at) {
  let end = at + (text[at + 1] === "^" ? 2 : 1);
  if (text[end] === "]") end++;
  while (end < text.length && text[end] !== "]") {
    const closes = /^\[[:.=]/.test(text.slice(end, end + 2))
      ? text.indexOf(`${text[end + 1]}]`, end + 2)
      : -1;
    end = closes < 0 ? end + 1 : closes + 2;
  }
  return end;
}

const bracket = (text) =>
  text.replace(/\\/g, "\\\\").replace(/(?!^)\[:(\w+):\]/g, (whole, name) => CLASSES[name] ?? whole)
    .replace(/^(\[\^?)\]/, "$1\\]");

/** A pattern of POSIX's as one of JavaScript's. @param basic Operators have a backslash, as GNU has them. */
function translated(text, basic) {
  let made = "";
  for (let at = 0; at < text.length; at++) {
    const [char, next] = [text[at], text[at + 1]];
    if (char === "[") {
      const end = bracketEnd(text, at);
      made += end < text.length ? bracket(text.slice(at, end + 1)) : "\\[";
      at = end;
    } else if (char === "\\" && next !== undefined) {
      at++;
      if (next === "<" || next === ">") made += "\\b";
      else if ("(){}|+?".includes(next)) made += basic ? next : `\\${next}`;
      else made += /[\w.*[\]^$\\/]/.test(next) ? `\\${next}` : next;
    } else if (basic && ("(){}|+?".includes(char) || char === "*" && made === "")) made += `\\${char}`;
    else made += char;
  }
  return made;
}

function matcherOf(options, patterns) {
  const kind = options.last("fixed-strings", "basic-regexp", "extended-regexp", "perl-regexp");
  const sources = patterns.map((pattern) => {
    if (kind === "fixed-strings") return pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return kind === "perl-regexp" ? pattern : translated(pattern, kind !== "extended-regexp");
  });
  const whole = options.has("word-regexp") ? sources.map((each) => `(?<!\\w)(?:${each})(?!\\w)`) : sources;
  try {
    const found = whole.map((source) => new RegExp(source, options.has("ignore-case") ? "i" : ""));
    return (line) => found.some((each) => each.test(line)) !== options.has("invert-match");
  } catch {
    throw fatal(`command line, '${patterns[0]}': not a pattern`);
  }
}

/** Where is searched: files of the index, in the work tree or as they were added, or those of revisions. */
async function* searched(repository, options, revisions, pathspec) {
  const { objects, prefix } = repository;
  const inScope = (path) =>
    pathspec.isEmpty ? prefix === "" || path.startsWith(`${prefix}/`) : pathspec.matches(path);
  const blob = async (oid) => (await objects.read(oid, "blob")).bytes;
  for (const revision of revisions) {
    const tree = await peel(objects, await resolve(repository, revision), "tree");
    if (!tree) throw fatal(`unable to resolve revision: ${revision}`);
    for (const [path, { oid, mode }] of await objects.files(tree)) {
      if (inScope(path) && mode !== "160000") {
        yield [`${revision}:${fromHere(repository, path)}`, await blob(oid)];
      }
    }
  }
  if (revisions.length > 0) return;
  const { files, unmerged } = await readIndex(repository);
  for (const path of [...new Set([...files.keys(), ...unmerged.keys()])].sort(byName).filter(inScope)) {
    const oid = files.get(path)?.oid;
    if (options.has("cached")) yield [fromHere(repository, path), oid ? await blob(oid) : undefined];
    else if (lstat(repository.file(path))?.type === "file") {
      yield [fromHere(repository, path), readBytes(repository.file(path))];
    }
  }
}

export async function grep(args) {
  const options = parseOptions(
    "grep",
    args,
    `n|line-number i|ignore-case l|name-only|files-with-matches L|files-without-match c|count v|invert-match w|word-regexp
     h H q|quiet E|extended-regexp F|fixed-strings G|basic-regexp P|perl-regexp e= I cached no-color color[=] full-name`,
  );
  const repository = await openRepository();
  const operands = [...options.operands];
  const patterns = options.has("e") ? options.all("e") : operands.splice(0, 1);
  if (patterns.length === 0) throw fatal("no pattern given");
  const revisions = [];
  while (operands.length > 0 && !lstat(absolute(operands[0])) && await isRevision(repository, operands[0])) {
    revisions.push(operands.shift());
  }
  const matches = matcherOf(options, patterns);
  const pathspec = new Pathspec(repository, [...operands, ...options.paths ?? []]);
  let found = false;
  for await (const [name, bytes] of searched(repository, options, revisions, pathspec)) {
    if (!bytes) continue;
    const isBinary = bytes.subarray(0, 8000).includes(0);
    if (isBinary && options.has("I")) continue;
    const lines = decode(bytes).replace(/\n$/, "").split("\n");
    const hits = bytes.length === 0 ? [] : lines.flatMap((line, at) => matches(line) ? [[at + 1, line]] : []);
    if (options.has("files-without-match")) {
      if (hits.length === 0) out(`${quotePath(name)}\n`);
      found ||= hits.length === 0;
      continue;
    }
    if (hits.length === 0) continue;
    found = true;
    if (options.has("quiet")) break;
    const label = options.last("h", "H") === "h" ? "" : `${quotePath(name)}:`;
    if (options.has("files-with-matches")) out(`${quotePath(name)}\n`);
    else if (options.has("count")) out(`${label}${hits.length}\n`);
    else if (isBinary) out(`Binary file ${quotePath(name)} matches\n`);
    else for (const [at, line] of hits) out(`${label}${options.has("line-number") ? `${at}:` : ""}${line}\n`);
  }
  return found ? 0 : 1;
}

export async function checkIgnore(args) {
  const options = parseOptions("check-ignore", args, "q|quiet no-index v|verbose n|non-matching stdin z");
  if (options.has("non-matching", "z")) {
    throw fatal("of git check-ignore there are -q, -v, --stdin and --no-index here");
  }
  const repository = await openRepository();
  const names = options.has("stdin")
    ? decode(readInput()).split("\n").filter((line) => line !== "")
    : options.everything;
  if (names.length === 0 && !options.has("stdin")) throw fatal("no path specified");
  const { files } = await readIndex(repository);
  const rules = await new Ignored(repository).load();
  const isFolder = (name) => name.endsWith("/") || isDirectory(absolute(name));
  const pathOf = (name) => repository.within(absolute(name).replace(/\/$/, ""), name);
  const isUntracked = (name) => options.has("no-index") || !files.has(pathOf(name));
  const ignored = names.filter((name) => isUntracked(name) && rules.has(pathOf(name), isFolder(name)));
  if (options.has("verbose")) {
    const told = names.filter(isUntracked).map((name) => [name, rules.rule(pathOf(name), isFolder(name))])
      .filter(([, rule]) => rule);
    out(told.map(([name, { file, line, text }]) => `${file}:${line}:${text}\t${quotePath(name)}\n`).join(""));
    return told.length > 0 ? 0 : 1;
  }
  if (!options.has("quiet")) out(ignored.map((name) => `${quotePath(name)}\n`).join(""));
  return ignored.length > 0 ? 0 : 1;
}

export async function symbolicRef(args) {
  const options = parseOptions("symbolic-ref", args, "short q|quiet d|delete m=");
  const [name, ...rest] = options.operands;
  const repository = await openRepository({ bare: true });
  if (rest.length === 1 && name === "HEAD" && rest[0].startsWith("refs/") && !options.has("delete", "m")) {
    await repository.refs.pointHead({ ref: rest[0] });
    return 0;
  }
  if (rest.length > 0 || options.has("delete", "m")) {
    throw fatal("git symbolic-ref only reads here, or gives HEAD a branch");
  }
  const [, target] = /^ref: (.*)\n?$/.exec(readText(`${repository.gitdir}/${name}`) ?? "") ?? [];
  if (target === undefined) {
    if (options.has("quiet")) return 1;
    throw fatal(`ref ${name} is not a symbolic ref`);
  }
  out(`${options.has("short") ? target.replace(/^refs\/(?:heads|tags|remotes)\//, "") : target}\n`);
  return 0;
}
