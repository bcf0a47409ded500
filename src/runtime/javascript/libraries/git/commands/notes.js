/** `notes`. */
import { parseOptions } from "../options.js";
import { Notes, notesRef } from "../notes.js";
import { openRepository } from "../repository.js";
import { resolve } from "../revisions.js";
import {
  absolute,
  decode,
  encode,
  failed,
  Failure,
  fatal,
  note,
  out,
  readBytes,
  readInput,
} from "../system.js";
import { cleaned } from "./commit.js";

const MESSAGE = "m|message= F|file= C|reuse-message= !c|reedit-message= allow-empty !e|edit";

export async function notes(args) {
  const [given, [verb = "list", ...rest]] = refOf(args);
  if (verb !== "get-ref" && !Object.hasOwn(VERBS, verb)) {
    if (["edit", "merge", "prune"].includes(verb)) throw fatal(`git notes ${verb} is not supported here`);
    throw new Failure(
      `error: unknown subcommand: \`${verb}'\nusage: git notes [--ref <notes-ref>] [${
        Object.keys(VERBS).join(" | ")
      } | get-ref] [<object>]\n`,
      129,
    );
  }
  const repository = await openRepository({ bare: true });
  const ref = await notesRef(repository, given);
  if (verb === "get-ref") return out(`${ref}\n`);
  return await VERBS[verb](repository, await new Notes(repository, ref).load(), rest);
}

/** What `--ref` says, and the words after it. */
function refOf(args) {
  if (args[0] === "--ref") return [args[1], args.slice(2)];
  return args[0]?.startsWith("--ref=") ? [args[0].slice("--ref=".length), args.slice(1)] : [undefined, args];
}

const VERBS = { add, append, copy, list, remove, show };

/** @param most How many objects there may be. */
function objectsOf(verb, options, most = 1) {
  if (options.everything.length <= most) return options.everything;
  throw new Failure(`error: too many arguments\nusage: git notes ${verb} [<options>] [<object>]\n`, 129);
}

async function idOf(repository, name = "HEAD") {
  const oid = await resolve(repository, name);
  if (!oid) throw fatal(`failed to resolve '${name}' as a valid ref.`);
  return oid;
}

/** The text that the options say; undefined if none of them does. */
async function textOf(repository, options) {
  let text;
  for (const [kind, value] of options.given) {
    if (!["message", "file", "reuse-message"].includes(kind)) continue;
    const before = text === undefined || text === "" ? "" : `${text}\n`;
    if (kind === "message") text = cleaned(before + value);
    else if (kind === "file") text = cleaned(before + decode(inputOf(value)));
    else {
      const { type, bytes } = await repository.objects.read(await idOf(repository, value));
      if (type !== "blob") throw fatal(`cannot read note data from non-blob object '${value}'.`);
      text = before + decode(bytes);
    }
  }
  return text;
}

function inputOf(name) {
  const bytes = name === "-" ? readInput() : readBytes(absolute(name));
  if (!bytes) throw fatal(`could not open or read '${name}': No such file or directory`);
  return bytes;
}

const needsText = () => fatal("please supply the note contents using either -m or -F option");

/** Puts a text in the place of a note; an empty one takes it away. */
async function put(stored, verb, oid, text, options) {
  const keeps = text !== "" || options.has("allow-empty");
  if (keeps) stored.set(oid, encode(text));
  else {
    note(`Removing note for object ${oid}\n`);
    if (!stored.get(oid)) return;
    stored.remove(oid);
  }
  await stored.save(`Notes ${keeps ? "added" : "removed"} by 'git notes ${verb}'`);
}

async function add(repository, stored, args) {
  const options = parseOptions("notes add", args, `${MESSAGE} f|force`);
  const oid = await idOf(repository, objectsOf("add", options)[0]);
  const text = await textOf(repository, options);
  if (text === undefined) throw needsText();
  if (stored.get(oid)) {
    if (!options.has("force")) {
      throw failed(
        `Cannot add notes. Found existing notes for object ${oid}. Use '-f' to overwrite existing notes`,
      );
    }
    note(`Overwriting existing notes for object ${oid}\n`);
  }
  await put(stored, "add", oid, text, options);
}

async function append(repository, stored, args) {
  const options = parseOptions("notes append", args, MESSAGE);
  const oid = await idOf(repository, objectsOf("append", options)[0]);
  const text = await textOf(repository, options);
  if (text === undefined) throw needsText();
  const before = decode(await stored.read(oid) ?? new Uint8Array(0));
  await put(stored, "append", oid, before + (before !== "" && text !== "" ? "\n" : "") + text, options);
}

async function copy(repository, stored, args) {
  const options = parseOptions("notes copy", args, "f|force !stdin !for-rewrite=");
  const [from, to] = objectsOf("copy", options, 2);
  if (from === undefined) {
    throw new Failure(
      "error: too few arguments\nusage: git notes copy [<options>] <from-object> <to-object>\n",
      129,
    );
  }
  const [source, target] = [await idOf(repository, from), await idOf(repository, to)];
  if (stored.get(target)) {
    if (!options.has("force")) {
      throw failed(
        `Cannot copy notes. Found existing notes for object ${target}. Use '-f' to overwrite existing notes`,
      );
    }
    note(`Overwriting existing notes for object ${target}\n`);
  }
  const bytes = await stored.read(source);
  if (!bytes) throw failed(`missing notes on source object ${source}. Cannot copy.`);
  stored.set(target, bytes);
  await stored.save("Notes added by 'git notes copy'");
}

const missing = (oid) => failed(`no note found for object ${oid}.`);

async function list(repository, stored, args) {
  const options = parseOptions("notes list", args, "");
  const [name] = objectsOf("list", options);
  if (name === undefined) {
    for (const [oid, own] of stored.entries) out(`${own} ${oid}\n`);
    return;
  }
  const oid = await idOf(repository, name);
  if (!stored.get(oid)) throw missing(oid);
  out(`${stored.get(oid)}\n`);
}

async function show(repository, stored, args) {
  const options = parseOptions("notes show", args, "");
  const oid = await idOf(repository, objectsOf("show", options)[0]);
  const bytes = await stored.read(oid);
  if (!bytes) throw missing(oid);
  out(bytes);
}

async function remove(repository, stored, args) {
  const options = parseOptions("notes remove", args, "ignore-missing !stdin");
  const names = options.everything.length > 0 ? options.everything : ["HEAD"];
  let [code, count] = [0, 0];
  for (const name of names) {
    const oid = await idOf(repository, name);
    if (!stored.get(oid)) {
      note(`Object ${name} has no note\n`);
      if (!options.has("ignore-missing")) code = 1;
      continue;
    }
    note(`Removing note for object ${name}\n`);
    stored.remove(oid);
    count++;
  }
  if (code === 0 && count > 0) await stored.save("Notes removed by 'git notes remove'");
  return code;
}
