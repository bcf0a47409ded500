/** Command lines as git reads them. What a command does not know here is refused, never passed over. */
import { Failure, fatal } from "./system.js";

const ENDS = /\[=\]$|=\??$/;

const dashed = (name) => `${name.length === 1 ? "-" : "--"}${name}`;

export function wholeNumber(text = "") {
  if (!/^-?\d+$/.test(text)) throw fatal(`'${text}': not an integer`);
  return Number(text);
}

export class Options {
  given = [];
  operands = [];
  /** What follows `--`; undefined if there is none. */
  paths = undefined;

  has(...names) {
    return this.given.some(([name]) => names.includes(name));
  }
  /** The last of these that was given. */
  last(...names) {
    return this.given.findLast(([name]) => names.includes(name))?.[0];
  }
  value(...names) {
    return this.given.findLast(([name]) => names.includes(name))?.[1];
  }
  all(...names) {
    return this.given.filter(([name]) => names.includes(name)).map(([, value]) => value);
  }
  number(name, fallback) {
    const text = this.value(name);
    return text === undefined ? fallback : wholeNumber(text);
  }
  /** Operands and paths, where it makes no difference. */
  get everything() {
    return [...this.operands, ...this.paths ?? []];
  }
}

/**
 * @param spec Options apart by spaces: `q|quiet`, `m|message=` with a value, `stat[=]` with one that may follow an equals
 * sign, `contains=?` with one unless it is the last word, `<n>` for a number as in `-5`. All are known by the last of their names.
 * `!p|patch` is an option of git's that is not here.
 */
export function parseOptions(command, args, spec) {
  const known = new Map();
  const words = spec.split(/\s+/).filter((each) => each !== "");
  for (const word of words) {
    const isAbsent = word.startsWith("!");
    const kind = word.endsWith("[=]")
      ? "optional"
      : word.endsWith("=?")
      ? "last"
      : word.endsWith("=")
      ? "value"
      : "flag";
    const names = word.slice(isAbsent ? 1 : 0).replace(ENDS, "").split("|");
    for (const name of names) known.set(name, { kind, name: names.at(-1), isAbsent });
  }
  const usage = () =>
    `usage: git ${command} [<options>]\n\n` +
    `Of its options these are known here: ${
      words.filter((word) => !word.startsWith("!")).map((word) =>
        word.replace(ENDS, "").split("|").map((name) => name === "<n>" ? "-<n>" : dashed(name)).join("|")
      ).join(" ")
    }\n`;
  const checkPresent = ({ name, isAbsent }) => {
    if (isAbsent) throw fatal(`git ${command} ${dashed(name)} is not supported here`);
  };
  const refuse = (message) => new Failure(`error: ${message}\n${usage()}`, 129);
  const options = new Options();
  const waiting = [...args];
  while (waiting.length > 0) {
    const arg = waiting.shift();
    const next = (shown) => {
      if (waiting.length === 0) throw refuse(`${shown} requires a value`);
      return waiting.shift();
    };
    if (arg === "--") {
      options.paths = waiting.splice(0);
    } else if (arg === "-h" && !known.has("h")) throw new Failure(usage(), 129);
    else if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      const name = arg.slice(2, equals < 0 ? undefined : equals);
      const found = name.length > 1 ? known.get(name) : undefined;
      if (!found) throw refuse(`unknown option \`${name}'`);
      checkPresent(found);
      if (equals >= 0 && found.kind === "flag") throw refuse(`option \`${name}' takes no value`);
      const value = equals >= 0
        ? arg.slice(equals + 1)
        : found.kind === "value"
        ? next(`option \`${name}'`)
        : found.kind === "last"
        ? waiting.shift()
        : undefined;
      options.given.push([found.name, value]);
    } else if (/^-\d+$/.test(arg) && known.has("<n>")) options.given.push(["<n>", arg.slice(1)]);
    else if (arg.startsWith("-") && arg.length > 1) {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg[at];
        const found = known.get(letter);
        if (!found) throw refuse(`unknown switch \`${letter}'`);
        checkPresent(found);
        const rest = arg.slice(at + 1);
        if (found.kind === "flag") {
          options.given.push([found.name, undefined]);
          continue;
        }
        const value = rest !== "" ? rest : found.kind === "value" ? next(`switch \`${letter}'`) : undefined;
        options.given.push([found.name, value]);
        break;
      }
    } else options.operands.push(arg);
  }
  return options;
}
