/** What a configuration key is, and what kinds there are. */

import * as z from "zod/mini";

/** A key: its name, its valid values, and the setting that a value stands for. */
export interface ConfigKey<Setting = unknown> {
  /** As in its file, with the tables it is in: `transport_http.port`. */
  readonly name: string;
  /** The messages of its issues say what a value must be. Made when there is a value: no start waits for those of all keys. */
  readonly schema: () => z.ZodMiniType;
  /** The value for text from the environment or the command line; the text itself if it is invalid. */
  parse(text: string): unknown;
  /** The setting for a value that the schema accepted. */
  setting(value: never): Setting;
  /** The value for a setting, as a file would have it. */
  value(setting: Setting): unknown;
  /** The value is never shown. */
  readonly secret?: boolean;
  /** A change takes effect only after a restart. */
  readonly restart?: boolean;
  /** The value may be a path, which in a file is relative to that file. */
  readonly path?: boolean;
}

/** The keys of a group of settings. A nullable setting is null when its key is absent, since TOML has no null. */
export type Keys<Settings> = {
  readonly [Name in keyof Settings]-?: ConfigKey<NonNullable<Settings[Name]>>;
};

interface Traits {
  readonly secret?: boolean;
  readonly restart?: boolean;
  readonly path?: boolean;
}

function numberKey(name: string, min: number, max: number, whole: boolean, scale = 1): ConfigKey<number> {
  const allowed = `${whole ? "a whole number" : "a number"} from ${grouped(min)} to ${grouped(max)}`;
  const number = () => whole ? z.int(allowed) : z.number(allowed);
  return {
    name,
    schema: () => number().check(z.minimum(min, allowed), z.maximum(max, allowed)),
    parse: (text) =>
      /^[+-]?\d[\d_]*(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text.replaceAll("_", "")) : text,
    setting: (value: number) => value * scale,
    value: (setting) => setting / scale,
  };
}

/** Seconds in the file, milliseconds as a setting. */
export const seconds = (name: string, min: number, max: number) => numberKey(name, min, max, false, 1000);
export const bytes = (name: string, min: number, max: number) => numberKey(name, min, max, true);
export const count = (name: string, min: number, max: number) => numberKey(name, min, max, true);

/** One of several words, whatever their case. */
export function choice<Choice extends string>(name: string, choices: readonly Choice[]): ConfigKey<Choice> {
  const quoted = choices.map((choice) => `"${choice}"`);
  const allowed = [quoted.slice(0, -1).join(", "), quoted.at(-1)].join(" or ");
  return {
    name,
    schema: () => textSchema(allowed, (text) => (choices as readonly string[]).includes(text.toLowerCase())),
    parse: (text) => text,
    setting: (value: Choice) => value.toLowerCase() as Choice,
    value: (setting) => setting,
  };
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  1: true,
  0: false,
  yes: true,
  no: false,
  on: true,
  off: false,
};

export function toggle(name: string): ConfigKey<boolean> {
  return {
    name,
    schema: () => z.boolean("true or false"),
    parse: (text) => Object.hasOwn(BOOLEANS, text.toLowerCase()) ? BOOLEANS[text.toLowerCase()] : text,
    setting: (value: boolean) => value,
    value: (setting) => setting,
  };
}

/** @param allowed What messages say it must be. @param valid Text of more than 4096 characters never is. */
export function text(name: string, allowed: string, valid: (text: string) => boolean): ConfigKey<string> {
  return {
    name,
    schema: () => textSchema(allowed, valid),
    parse: (text) => text,
    setting: (value: string) => value,
    value: (setting) => setting,
  };
}

/** A list of text. From the environment: items separated by commas, or a JSON array. */
export function list(
  name: string,
  allowed: string,
  valid: (item: string) => boolean,
): ConfigKey<readonly string[]> {
  const message = `a list of ${allowed}`;
  return {
    name,
    schema: () =>
      z.array(textSchema(message, valid), message).check(z.maxLength(1000, `${message}, at most 1000`)),
    parse: (text) =>
      text.trim().startsWith("[")
        ? json(text)
        : text.split(",").map((item) => item.trim()).filter((item) => item !== ""),
    setting: (value: readonly string[]) => value,
    value: (setting) => setting,
  };
}

/** Text by name. From the environment: a JSON object. */
export function table(
  name: string,
  names: () => z.ZodMiniType<string, string>,
  values: () => z.ZodMiniType<string>,
): ConfigKey<Readonly<Record<string, string>>> {
  return {
    name,
    schema: () => z.record(names(), values(), "a table of text"),
    parse: json,
    setting: (value: Readonly<Record<string, string>>) => ({ ...value }),
    value: (setting) => setting,
  };
}

/** The same key, with traits. */
export function having<Setting>(traits: Traits, key: ConfigKey<Setting>): ConfigKey<Setting> {
  return { ...key, ...traits };
}

function textSchema(allowed: string, valid: (text: string) => boolean) {
  return z.string(allowed).check(
    z.refine((text) => text.length <= 4096 && !/\p{Cc}/u.test(text) && valid(text), allowed),
  );
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** 1234567 as in TOML: 1_234_567. */
function grouped(number: number): string {
  return number < 10_000 ? String(number) : String(number).replaceAll(/\B(?=(\d{3})+$)/g, "_");
}
