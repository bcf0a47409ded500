/**
 * The variables of a session's languages in short, for people who look at it: by programs of our own, which look and change
 * nothing. They run beside the session's executions: nobody sees what they print, and their fuel is nobody's.
 */

import * as z from "zod/mini";
import type { Language } from "../../languages.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { MAX_VARIABLE_TEXT, MAX_VARIABLES } from "../wire/bounds.ts";
import type { LanguageVariables, Variable } from "../wire/workspace_protocol.ts";

/** Some tenths of a second: for what a program's own objects do when they are looked at. */
const FUEL = 50_000_000;
const FILENAME = "<variables>";
/** Of what is printed; the rest is dropped. */
const MAX_BYTES = 512 * 1024;

const PYTHON = `__import__("_wasmbox_variables").show(globals())`;

/** Accessors are not called. Traps of proxies are: they are the session's own, and end with the fuel. */
const JAVASCRIPT = `(() => {
  const shown = (value, depth) => {
    switch (typeof value) {
      case "string": return JSON.stringify(value.slice(0, 120));
      case "bigint": return value > -(2n ** 400n) && value < 2n ** 400n ? value + "n" : "large";
      case "symbol": return "Symbol()";
      case "function": return depth ? "function" : "";
      case "object": break;
      default: return String(value);
    }
    if (value === null) return "null";
    const isArray = Array.isArray(value);
    if (depth === 2) return isArray ? "[…]" : "{…}";
    if (value instanceof Map || value instanceof Set) return value.size + (value.size === 1 ? " entry" : " entries");
    if (value instanceof Date) return isNaN(value) ? "invalid" : new Date(+value).toISOString();
    if (value instanceof RegExp) return "/" + value.source + "/" + value.flags;
    if (ArrayBuffer.isView(value) && "length" in value) return value.length + " elements";
    const all = Object.keys(value);
    const own = all.slice(0, 12).map((key) => {
      const { value: item, get, set } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      const text = get || set ? "…" : shown(item, depth + 1);
      return isArray ? text : key + ": " + text;
    });
    if (all.length > 12) own.push("…");
    return (isArray ? "[" : "{") + own.join(", ") + (isArray ? "]" : "}") + (all.length > 12 ? " (" + all.length + ")" : "");
  };
  const typeOf = (value) => {
    if (value === null || typeof value !== "object" && typeof value !== "function") return value === null ? "null" : typeof value;
    if (typeof value === "function") return /^class\\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
    const made = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(value) ?? {}, "constructor")?.value;
    return String(typeof made === "function" && Object.getOwnPropertyDescriptor(made, "name")?.value || "Object");
  };
  const names = Object.keys(globalThis).sort();
  const rows = names.slice(0, 100).map((name) => {
    try {
      const { value, get } = Object.getOwnPropertyDescriptor(globalThis, name);
      return get ? [name, "accessor", ""] : [name, typeOf(value), shown(value, 0)];
    } catch {
      return [name, "object", ""];
    }
  });
  process.stdout.write(JSON.stringify([names.length, rows]));
})()`;

const SHELL = "declare -p; declare -F";

/** What every shell has. */
const OF_EVERY_SHELL =
  /^(_|BASH\w*|DIRSTACK|E?UID|EPOCH\w+|FUNCNAME|GROUPS|HISTCMD|HOME|HOST\w+|IFS|LANG|LC_\w+|LINENO|LOGNAME|MACHTYPE|OLDPWD|OPTERR|OPTIND|OSTYPE|PATH|PIPESTATUS|PPID|PS[0-4]|PWD|RANDOM|SECONDS|SHELL|SHELLOPTS|SHLVL|SRANDOM|TERM|USER)$/;

const PROGRAMS: Readonly<Record<Language, string>> = { python: PYTHON, javascript: JAVASCRIPT, shell: SHELL };

const listing = z.tuple([z.int(), z.array(z.tuple([z.string(), z.string(), z.string()]))]);

/**
 * @param listen Has what is printed until it is called again without anyone.
 * @returns What it has, and whether its heap was lost over that, which then has to be brought back.
 */
export async function variablesOf(
  runtime: Runtime,
  listen: (listener?: (stream: "stdout" | "stderr", bytes: Uint8Array) => void) => void,
): Promise<{ readonly variables: LanguageVariables; readonly lost: boolean }> {
  const { language } = runtime;
  const decoder = new TextDecoder();
  let printed = "";
  listen((stream, bytes) => {
    if (stream === "stdout" && printed.length < MAX_BYTES) printed += decoder.decode(bytes, { stream: true });
  });
  try {
    const code = PROGRAMS[language];
    const { heap } = await runtime.execute({
      code,
      filename: FILENAME,
      resultMaxBytes: 100,
      fuelBudget: FUEL,
    });
    const [count, all] = language === "shell" ? ofShell(printed) : ofJson(printed);
    const variables = all.slice(0, MAX_VARIABLES);
    return {
      variables: { language, variables, more: Math.max(0, count - variables.length) },
      lost: heap === "discarded",
    };
  } finally {
    listen();
  }
}

/** The program that printed it shares its interpreter with the session's: nothing of it is trusted. */
function ofJson(printed: string): [count: number, variables: Variable[]] {
  try {
    const [count, rows] = listing.parse(JSON.parse(printed));
    return [count, rows.map(([name, type, value]) => clipped({ name, type, value }))];
  } catch {
    return [0, []];
  }
}

function ofShell(printed: string): [count: number, variables: Variable[]] {
  const variables = printed.split(/^declare (?=-)/m).flatMap((line) => {
    const [, flags = "", name = "", value = ""] = /^-(\S+) ([^\s=]+)(?:=([^]*))?$/.exec(line.trimEnd()) ?? [];
    if (name === "" || OF_EVERY_SHELL.test(name)) return [];
    const kind = KINDS.find(([flag]) => flags.includes(flag))?.[1] ?? "string";
    return [clipped({ name, type: flags.includes("x") ? `${kind}, exported` : kind, value })];
  });
  return [variables.length, variables];
}

const KINDS = [["f", "function"], ["A", "associative array"], ["a", "array"], ["i", "integer"]] as const;

function clipped({ name, type, value }: Variable): Variable {
  const clip = (text: string) =>
    text.length <= MAX_VARIABLE_TEXT ? text : `${text.slice(0, MAX_VARIABLE_TEXT - 1)}…`;
  return { name: clip(name), type: clip(type), value: clip(value) };
}
