/** `util.parseArgs`. */
import { platform } from "./runtime.js";
import { checkObject, coded, invalidArgType, invalidArgValue } from "./errors.js";

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

function checkOptions(options) {
  for (const [name, option] of Object.entries(options)) {
    checkObject(option, `options.${name}`);
    const { type, short, multiple, default: preset } = option;
    if (type !== "string" && type !== "boolean") {
      throw coded(
        TypeError,
        "ERR_INVALID_ARG_TYPE",
        `The "options.${name}.type" property must be ('string|boolean'). Received ${
          type === undefined ? "undefined" : `'${type}'`
        }`,
      );
    }
    if (short !== undefined) {
      if (typeof short !== "string") throw invalidArgType(`options.${name}.short`, "string", short);
      if (short.length !== 1) {
        throw invalidArgValue(`options.${name}.short`, short, "must be a single character");
      }
    }
    if (multiple !== undefined && typeof multiple !== "boolean") {
      throw invalidArgType(`options.${name}.multiple`, "boolean", multiple);
    }
    if (preset === undefined) continue;
    for (const each of multiple ? [preset].flat() : [preset]) {
      // deno-lint-ignore valid-typeof -- it is "string" or "boolean"
      if (typeof each !== type) throw invalidArgType(`options.${name}.default`, type, each);
    }
  }
}

const named = (options, short) => Object.entries(options).find(([, option]) => option.short === short)?.[0];

/** The arguments one by one, as `tokens` of the result has them. */
function tokensOf(args, options) {
  const tokens = [];
  const queue = args.map((value, index) => ({ value, index }));
  const takes = (name) => options[name]?.type === "string";
  const option = (name, rawName, index, value, inlineValue) =>
    void tokens.push({ kind: "option", name, rawName, index, value, inlineValue });
  while (queue.length > 0) {
    const { value: arg, index } = queue.shift();
    const next = queue[0];
    if (arg === "--") {
      tokens.push({ kind: "option-terminator", index });
      for (const { value, index } of queue) tokens.push({ kind: "positional", index, value });
      break;
    }
    if (/^-[^-]$/.test(arg)) {
      const name = named(options, arg[1]) ?? arg[1];
      const follows = takes(name) && next !== undefined &&
        (next.value.length < 2 || !next.value.startsWith("-") || next.negative);
      const value = follows || takes(name) && next !== undefined ? queue.shift().value : undefined;
      option(name, arg, index, value, value === undefined ? undefined : false);
    } else if (/^-[^-].+/.test(arg)) {
      // A group: `-abc`, or `-fVALUE`.
      const first = named(options, arg[1]) ?? arg[1];
      if (takes(first)) {
        option(first, `-${arg[1]}`, index, arg.slice(2), true);
        continue;
      }
      const expanded = [];
      for (let at = 1; at < arg.length; at++) {
        const name = named(options, arg[at]) ?? arg[at];
        if (!takes(name) || at === arg.length - 1) expanded.push({ value: `-${arg[at]}`, index });
        else {
          expanded.push({ value: `-${arg.slice(at)}`, index });
          break;
        }
      }
      queue.unshift(...expanded);
    } else if (/^--[^=]+=/.test(arg)) {
      const at = arg.indexOf("=");
      option(arg.slice(2, at), arg.slice(0, at), index, arg.slice(at + 1), true);
    } else if (arg.startsWith("--")) {
      const name = arg.slice(2);
      const value = takes(name) && next !== undefined ? queue.shift().value : undefined;
      option(name, arg, index, value, value === undefined ? undefined : false);
    } else tokens.push({ kind: "positional", index, value: arg });
  }
  return tokens;
}

function checkToken(token, options, allowPositionals) {
  const { name, rawName, value, inlineValue } = token;
  if (!Object.hasOwn(options, name)) {
    const advice = allowPositionals
      ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${rawName}"`
      : "";
    throw coded(TypeError, "ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${rawName}'${advice}`);
  }
  const { short, type } = options[name];
  const shown = `${short ? `-${short}, ` : ""}--${name}`;
  if (type === "string" && typeof value !== "string") {
    throw coded(
      TypeError,
      "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${shown} <value>' argument missing`,
    );
  }
  if (type === "boolean" && value !== undefined) {
    throw coded(
      TypeError,
      "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${shown}' does not take an argument`,
    );
  }
  if (type === "string" && !inlineValue && value.length > 1 && value.startsWith("-")) {
    const example = rawName.startsWith("--") ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
    throw coded(
      TypeError,
      "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\n` +
        `To specify an option argument starting with a dash use ${example}.`,
    );
  }
}

export function parseArgs(config = {}) {
  const {
    strict = true,
    options = {},
    tokens: wantsTokens = false,
    allowPositionals = !strict,
    allowNegative = false,
    args = platform.process.argv.slice(2),
  } = config;
  if (!Array.isArray(args)) throw invalidArgType("args", "Array", args);
  if (!isObject(options)) throw invalidArgType("options", "Object", options);
  checkOptions(options);
  const tokens = tokensOf(args, options);
  const values = Object.create(null);
  const positionals = [];
  const store = (name, value) => {
    if (name === "__proto__") return;
    if (options[name]?.multiple) (values[name] ??= []).push(value);
    else values[name] = value;
  };
  for (const token of tokens) {
    if (token.kind === "option") {
      const positive = token.name.slice(3);
      if (
        allowNegative && token.name.startsWith("no-") && !Object.hasOwn(options, token.name) &&
        options[positive]?.type === "boolean"
      ) {
        token.name = positive;
        store(positive, false);
        continue;
      }
      if (strict) checkToken(token, options, allowPositionals);
      store(token.name, token.value ?? true);
    } else if (token.kind === "positional") {
      if (!allowPositionals) {
        throw coded(
          TypeError,
          "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL",
          `Unexpected argument '${token.value}'. This command does not take positional arguments`,
        );
      }
      positionals.push(token.value);
    }
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
  }
  return wantsTokens ? { values, positionals, tokens } : { values, positionals };
}
