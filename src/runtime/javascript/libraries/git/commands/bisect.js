/** `bisect`. `bisect run` is a script of the shell's, which asks `bisect --check` whether it
 * can begin, and `bisect --ran` what comes of each of its runs. */
import { besideSkipped, stepsOf, weighed } from "../bisection.js";
import { partsOf } from "../pretty.js";
import { openRepository } from "../repository.js";
import { commitOf, isAncestor, isRevision, mergeBases, rangeOf } from "../revisions.js";
import {
  absolute,
  appendText,
  failed,
  Failure,
  fatal,
  isFile,
  out,
  readText,
  removeFile,
  writeText,
} from "../system.js";
import { walk } from "../walk.js";
import { fileOf, isBisecting, termsOf } from "./bisect_state.js";
import { log, show } from "./log.js";
import { checkout } from "./switching.js";

const FILES = ["START", "LOG", "NAMES", "TERMS", "EXPECTED_REV", "ANCESTORS_OK", "RUN"].map((name) =>
  `BISECT_${name}`
);
const REFS = "refs/bisect/";
const VERBS = {
  start,
  skip,
  reset,
  terms,
  next,
  replay,
  view,
  visualize: view,
  log: tellLog,
  "--check": checkMarked,
  "--ran": ran,
};
const USAGE =
  "usage: git bisect [help|start|bad|good|new|old|terms|skip|next|reset|visualize|view|replay|log|run]\n";
/** What `--ran` exits with where one more run is wanted. */
const ONE_MORE = 99;
const SKIP = 125;

export async function bisect(args) {
  const [verb, ...rest] = args;
  if (verb === undefined || verb === "help") throw new Failure(USAGE, 1);
  const repository = await openRepository();
  if (verb === "run") throw fatal("git bisect run is a command of the shell's here: run it in one");
  if (Object.hasOwn(VERBS, verb)) return await VERBS[verb](repository, rest);
  const { bad, good, given } = termsOf(repository);
  const isKnown = [bad, good].includes(verb) || (!given && ["new", "old"].includes(verb));
  if (!isKnown && !["bad", "good", "new", "old"].includes(verb)) {
    throw new Failure(`error: unknown subcommand: \`${verb}'\n${USAGE}`, 129);
  }
  checkStarted(repository);
  if (!isKnown) throw failed(`Invalid command: you're currently in a ${bad}/${good} bisect`, 255);
  if (!given) setTerms(repository, ["new", "old"].includes(verb) ? ["new", "old"] : ["bad", "good"]);
  return await mark(repository, verb, rest);
}

function checkStarted(repository) {
  if (!isBisecting(repository)) throw new Failure('You need to start by "git bisect start"\n\n', 1);
}

const setTerms = (repository, [bad, good]) => writeText(fileOf(repository, "TERMS"), `${bad}\n${good}\n`);

async function marksOf(repository) {
  const { bad, good } = termsOf(repository);
  const marks = { bad: undefined, goods: [], skipped: new Set() };
  for (const [ref, oid] of await repository.refs.list(REFS)) {
    const name = ref.slice(REFS.length);
    if (name === bad) marks.bad = oid;
    else if (name.startsWith(`${good}-`)) marks.goods.push(oid);
    else if (name.startsWith("skip-")) marks.skipped.add(oid);
  }
  return marks;
}

const write = (repository, text) => appendText(fileOf(repository, "LOG"), text);
async function described({ objects }, oid) {
  return `[${oid}] ${partsOf((await objects.commit(oid)).message).subject}`;
}

/** Notes that a commit is good, bad, or can't be tested. */
async function set(repository, term, oid) {
  const { bad } = termsOf(repository);
  await repository.refs.update(`${REFS}${term === bad ? bad : `${term}-${oid}`}`, oid);
  await write(repository, `# ${term}: ${await described(repository, oid)}\n`);
  if (readText(fileOf(repository, "EXPECTED_REV"))?.trim() !== oid) {
    for (const name of ["EXPECTED_REV", "ANCESTORS_OK"]) removeFile(fileOf(repository, name));
  }
}

const quoted = (words) => words.map((word) => ` '${word.replace(/['!]/g, "'\\$&'")}'`).join("");

async function start(repository, args) {
  const given = {};
  const revisions = [];
  const waiting = [...args];
  while (waiting.length > 0) {
    const arg = waiting.shift();
    const term = /^--term-(new|bad|old|good)(?:=(.*))?$/.exec(arg);
    if (term) given[["new", "bad"].includes(term[1]) ? "bad" : "good"] = term[2] ?? waiting.shift();
    else if (arg === "--") {
      if (waiting.length > 0) throw fatal("git bisect start with paths is not supported here");
    } else if (arg.startsWith("--")) throw fatal(`git bisect start ${arg} is not supported here`);
    else if (await isRevision(repository, arg)) revisions.push(await commitOf(repository, arg));
    else throw fatal(`'${arg}' does not appear to be a valid revision`);
  }
  const before = readText(fileOf(repository, "START"))?.trim();
  if (before !== undefined) await checkout(["-q", before, "--"]);
  const head = await repository.refs.head();
  if (!head.oid) throw fatal("bad HEAD - I need a HEAD");
  await tidyUp(repository);
  writeText(fileOf(repository, "START"), `${before ?? (head.ref ? head.branch : head.oid)}\n`);
  writeText(fileOf(repository, "NAMES"), "\n");
  if (revisions.length > 0 || given.bad || given.good) {
    setTerms(repository, [given.bad ?? "bad", given.good ?? "good"]);
  }
  const { bad, good } = termsOf(repository);
  for (const [at, oid] of revisions.entries()) await set(repository, at === 0 ? bad : good, oid);
  write(repository, `git bisect start${quoted(args)}\n`);
  try {
    return await goOn(repository);
  } catch (error) {
    await tidyUp(repository);
    throw error;
  }
}

async function tidyUp({ refs }) {
  for (const [ref] of await refs.list(REFS)) await refs.remove(ref);
  for (const name of FILES) removeFile(refs.file(name));
}

async function mark(repository, term, names) {
  await note(repository, term, names);
  return await goOn(repository);
}

async function note(repository, term, names) {
  const { bad } = termsOf(repository);
  if (term === bad && names.length > 1) throw failed(`'git bisect ${term}' can take only one argument.`);
  const oids = [];
  for (const name of names.length > 0 ? names : ["HEAD"]) {
    if (!await isRevision(repository, name)) throw failed(`Bad rev input: ${name}`);
    oids.push(await commitOf(repository, name));
  }
  for (const oid of oids) {
    await set(repository, term, oid);
    write(repository, `git bisect ${term} ${oid}\n`);
  }
}

async function skip(repository, names) {
  checkStarted(repository);
  const oids = [];
  for (const name of names.length > 0 ? names : ["HEAD"]) {
    const range = name.includes("..") ? await rangeOf(repository, name) : undefined;
    if (!range) oids.push(await commitOf(repository, name));
    else {
      for await (const { oid } of walk(repository.objects, [range.to], { hidden: [range.from] })) {
        oids.push(oid);
      }
    }
  }
  for (const oid of oids) {
    await set(repository, "skip", oid);
    write(repository, `git bisect skip ${oid}\n`);
  }
  return await goOn(repository);
}

/** Goes to what is to be tested next, or says what is wanted for that. @returns an exit code. */
async function goOn(repository) {
  const { bad, goods } = await marksOf(repository);
  if (bad !== undefined && goods.length > 0) return await next(repository);
  const wanted = bad !== undefined
    ? "good commit(s), bad commit known"
    : goods.length > 0
    ? `bad commit, ${goods.length} good commit${goods.length === 1 ? "" : "s"} known`
    : "both good and bad commits";
  out(`status: waiting for ${wanted}\n`);
  write(repository, `# status: waiting for ${wanted}\n`);
  return 0;
}

async function next(repository) {
  checkStarted(repository);
  const { objects } = repository;
  const { bad, goods, skipped } = await marksOf(repository);
  if (bad === undefined || goods.length === 0) return await goOn(repository);
  const base = await untestedBase(repository, bad, goods, skipped);
  if (base !== undefined) {
    out("Bisecting: a merge base must be tested\n");
    return await goTo(repository, base);
  }
  const found = await weighed(objects, bad, goods);
  if (found.ranked.length === 0) throw new Failure(`${bad} was both good and bad\n`, 1);
  const { chosen, best, tried } = skipped.size > 0
    ? besideSkipped(found, bad, skipped)
    : { chosen: found.chosen, best: found.chosen, tried: [] };
  if (chosen === undefined || chosen.oid === bad) {
    if (tried.length > 0) return await tellSkipped(repository, tried, bad);
    return await tellFirst(repository, bad);
  }
  const all = found.ranked.length;
  const left = all - best.weight - 1;
  const steps = stepsOf(all);
  const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
  out(
    `Bisecting: ${counted(left, "revision")} left to test after this (roughly ${counted(steps, "step")})\n`,
  );
  return await goTo(repository, chosen.oid);
}

/** Where lines of history part, that is to be good, too. */
async function untestedBase(repository, bad, goods, skipped) {
  const { objects } = repository;
  const ok = fileOf(repository, "ANCESTORS_OK");
  if (isFile(ok)) return undefined;
  for (const good of goods) {
    if (await isAncestor(objects, good, bad)) continue;
    for (const base of await mergeBases(objects, bad, good)) {
      if (goods.includes(base) || skipped.has(base)) continue;
      if (base !== bad) return base;
      const terms = termsOf(repository);
      throw new Failure(
        `Some ${terms.good} revs are not ancestors of the ${terms.bad} rev.\ngit bisect cannot work properly in this case.\nMaybe you mistook ${terms.good} and ${terms.bad} revs?\n`,
        1,
      );
    }
  }
  writeText(ok, "");
  return undefined;
}

async function goTo(repository, oid) {
  writeText(fileOf(repository, "EXPECTED_REV"), `${oid}\n`);
  await checkout(["-q", oid, "--"]);
  out(`${await described(repository, oid)}\n`);
  return 0;
}

async function tellFirst(repository, oid) {
  const { bad } = termsOf(repository);
  out(`${oid} is the first ${bad} commit\n`);
  await show(["--stat", "--summary", oid]);
  write(repository, `# first ${bad} commit: ${await described(repository, oid)}\n`);
  return 0;
}

async function tellSkipped(repository, tried, oid) {
  const { bad } = termsOf(repository);
  out(`There are only 'skip'ped commits left to test.\nThe first ${bad} commit could be any of:\n`);
  out([...tried, oid].map((each) => `${each}\n`).join(""));
  out("We cannot bisect more!\n");
  write(repository, "# only skipped commits left to test\n");
  for (const each of [oid, ...tried]) {
    write(repository, `# possible first ${bad} commit: ${await described(repository, each)}\n`);
  }
  return 2;
}

/** Git itself ends here without a word. */
async function checkMarked(repository) {
  const { bad, goods } = await marksOf(repository);
  if (bad !== undefined && goods.length > 0) return;
  const needed = "give me at least one bad|new and good|old revision.\n" +
    'You can use "git bisect bad|new" and "git bisect good|old" for that.';
  throw failed(
    `bisect run failed: You need to ${
      isBisecting(repository) ? needed : `start by "git bisect start". You then need to ${needed}`
    }`,
  );
}

/** @param args What a run of the script exited with. @returns `ONE_MORE`, or what `bisect run` exits with. */
async function ran(repository, [text, ...command]) {
  // The script may have ended or begun a bisection.
  await checkMarked(repository);
  const { bad, good } = termsOf(repository);
  const code = Number(text);
  if (code >= 128) {
    throw failed(`bisect run failed: exit code ${code} from '${quoted(command)}' is < 0 or >= 128`, 56);
  }
  const result = code === SKIP
    ? await skip(repository, [])
    : await mark(repository, code === 0 ? good : bad, []);
  if (result === 2) throw failed("bisect run cannot continue any more", 2);
  if (!/^# first \S+ commit: .*\n$/m.test(lastLine(repository))) return ONE_MORE;
  out("bisect found first bad commit\n");
  return 0;
}
function lastLine(repository) {
  const text = readText(fileOf(repository, "LOG"));
  return text.slice(text.lastIndexOf("\n", text.length - 2) + 1);
}

async function reset(repository, [name]) {
  const start = readText(fileOf(repository, "START"))?.trim();
  if (start === undefined) return void out("We are not bisecting.\n");
  if (name !== undefined) await commitOf(repository, name);
  await checkout([name ?? start, "--"]);
  await tidyUp(repository);
}

function terms(repository, [option]) {
  const { bad, good, given } = termsOf(repository);
  if (!given) throw failed("no terms defined");
  const word = { "--term-good": good, "--term-old": good, "--term-bad": bad, "--term-new": bad }[option];
  out(
    word ? `${word}\n` : `Your current terms are ${good} for the old state\nand ${bad} for the new state.\n`,
  );
}

function tellLog(repository) {
  const text = readText(fileOf(repository, "LOG"));
  if (text === undefined) throw failed("We are not bisecting.");
  out(text);
}

async function view(repository, args) {
  checkStarted(repository);
  const { bad, goods } = await marksOf(repository);
  await log([...args, bad ?? "HEAD", ...goods.map((oid) => `^${oid}`)]);
}

async function replay(repository, [name]) {
  const text = name === undefined ? undefined : readText(absolute(name));
  if (text === undefined) throw failed(`cannot read file '${name ?? ""}' for replaying`);
  await reset(repository, []);
  for (const line of text.split("\n")) {
    const words = /^git bisect (.*)$/.exec(line.trim())?.[1].match(/'[^']*'|\S+/g);
    if (!words) continue;
    const [verb, ...rest] = words.map((word) => word.replace(/^'|'$/g, ""));
    if (verb === "start") await start(repository, rest);
    else await note(repository, verb, rest);
  }
  return await goOn(repository);
}
