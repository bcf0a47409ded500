/** `format-patch`: commits as mails. */
import { changesBetween, contentOf, isBinary } from "../compare.js";
import { formatDate } from "../dates.js";
import { selected, wantedOf } from "../diff_options.js";
import { folded, isPlain, senderText } from "../mail.js";
import { EMPTY_TREE } from "../objects.js";
import { parseOptions } from "../options.js";
import { printChanges } from "../patch.js";
import { fileNameOf, partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { commitOf, rangeOf, resolve } from "../revisions.js";
import { absolute, captured, fatal, joined, makeDirectory, out, writeBytes } from "../system.js";
import { VERSION } from "../version.js";
import { walk } from "../walk.js";

const COLUMNS = 72;
const LONGEST_NAME = 57;

export async function formatPatch(args) {
  const options = parseOptions(
    "format-patch",
    args,
    `<n> o|output-directory= stdout n|numbered N|no-numbered start-number= subject-prefix= rfc v|reroll-count= s|signoff k|keep-subject
    root q|quiet suffix= no-signature signature= no-stat zero-commit U|unified= M|find-renames[=] no-renames full-index p w|ignore-all-space
    !cover-letter !attach !inline !thread no-thread !in-reply-to= !to= !cc= !from !base= !binary no-binary !notes numbered-files !src-prefix= !dst-prefix=`,
  );
  const repository = await openRepository({ bare: true });
  const commits = await commitsOf(repository, options);
  const wanted = { ...await wantedOf(repository, options, []), columns: COLUMNS };
  wanted.forms = options.has("no-stat", "p") ? ["patch"] : ["stat", "summary", "patch"];
  const first = options.number("start-number", 1);
  const numbered = options.last("numbered", "no-numbered");
  const counts = numbered === "numbered" || (numbered === undefined && commits.length > 1);
  const directory = options.value("output-directory");
  for (const [at, commit] of commits.entries()) {
    const number = first + at;
    const place = counts ? { number, all: first + commits.length - 1 } : undefined;
    const print = () => printMail(repository, commit, { options, wanted, place });
    if (options.has("stdout")) {
      if (at > 0) out("\n");
      await print();
      continue;
    }
    const name = joined(directory?.replace(/\/+$/, "") ?? "", nameOf(commit, number, options));
    if (directory !== undefined) makeDirectory(absolute(directory));
    writeBytes(absolute(name), await captured(print));
    if (!options.has("quiet")) out(`${name}\n`);
  }
}

/** The oldest first; no merges. */
async function commitsOf(repository, options) {
  const { objects } = repository;
  const [name, ...more] = options.operands;
  if (more.length > 0) throw fatal("git format-patch takes one revision, or one range, here");
  if (options.paths?.length > 0) throw fatal("git format-patch of paths is not supported here");
  const most = options.number("<n>", undefined);
  const range = name === undefined ? undefined : await rangeOf(repository, name);
  if (range?.kind === "...") throw fatal("git format-patch takes no A...B here: A..B");
  const alone = most !== undefined || options.has("root");
  if (name === undefined && !alone) throw fatal("git format-patch wants a revision here, as HEAD~2, or -<n>");
  if (name !== undefined && !range && await resolve(repository, name) === undefined) {
    throw fatal(`ambiguous argument '${name}': unknown revision or path not in the working tree.`);
  }
  const to = range ? range.to : await commitOf(repository, alone && name !== undefined ? name : "HEAD");
  const hidden = range ? [range.from] : alone ? [] : [await commitOf(repository, name)];
  const found = [];
  for await (const commit of walk(objects, [to], { hidden })) {
    if (commit.parents.length > 1) continue;
    if (most !== undefined && found.length >= most) break;
    found.push(commit);
  }
  return found.reverse();
}

function nameOf({ message }, number, options) {
  const version = options.has("reroll-count") ? `v${options.value("reroll-count")}-` : "";
  const name = `${version}${`${number}`.padStart(4, "0")}-${fileNameOf(partsOf(message).subject)}`;
  return `${name.slice(0, LONGEST_NAME)}${options.value("suffix") ?? ".patch"}`;
}

function prefixOf(options, place) {
  if (options.has("keep-subject")) return "";
  const words = [options.has("rfc") ? "RFC PATCH" : options.value("subject-prefix") ?? "PATCH"];
  if (options.has("reroll-count")) words.push(`v${options.value("reroll-count")}`);
  if (place) words.push(`${`${place.number}`.padStart(`${place.all}`.length, "0")}/${place.all}`);
  return `[${words.filter((word) => word !== "").join(" ")}] `;
}

async function printMail(repository, commit, { options, wanted, place }) {
  const { objects } = repository;
  const { subject, body } = partsOf(commit.message);
  const parent = commit.parents[0];
  const before = await objects.files(parent ? (await objects.commit(parent)).tree : EMPTY_TREE);
  const changes = await selected(
    repository,
    changesBetween(before, await objects.files(commit.tree)),
    wanted,
  );
  for (const { path, old, now } of changes) {
    if (old?.oid === now?.oid) continue;
    for (const side of [old, now]) {
      if (isBinary(await contentOf(repository, side))) {
        throw fatal(`git format-patch of a binary file (${path}) is not supported here`);
      }
    }
  }
  const oid = options.has("zero-commit") ? "0".repeat(40) : commit.oid;
  const heads = [
    `From ${oid} Mon Sep 17 00:00:00 2001`,
    senderText(commit.author),
    `Date: ${formatDate(commit.author, "rfc")}`,
    folded(`Subject: ${prefixOf(options, place)}`, subject),
  ];
  const text = await signed(repository, body, options);
  if (!isPlain(text) || !isPlain(subject) || !isPlain(commit.author.name)) {
    heads.push(
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=UTF-8",
      "Content-Transfer-Encoding: 8bit",
    );
  }
  out(`${heads.join("\n")}\n\n${text}${wanted.forms.length > 1 ? "---" : ""}\n`);
  await printChanges(repository, changes, wanted);
  const signature = options.has("no-signature") ? "" : options.value("signature") ?? VERSION;
  if (signature !== "") out(`-- \n${signature}\n`);
  out("\n");
}

async function signed(repository, body, options) {
  const text = body.trimEnd() === "" ? "" : `${body.trimEnd()}\n`;
  if (!options.has("signoff")) return text;
  const { name, email } = await repository.person("COMMITTER");
  const line = `Signed-off-by: ${name} <${email}>`;
  if (text.trimEnd().endsWith(line)) return text;
  const follows = text === "" || /(?:^|\n\n)(?:[A-Za-z-]+: .*\n)+$/.test(text);
  return `${text}${follows ? "" : "\n"}${line}\n`;
}
