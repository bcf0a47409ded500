/**
 * `Intl` for guests: formatting by the host's own ICU. The same in JavaScript, for six languages, would be four megabytes
 * of text in each session's heap, and would not say what Node says.
 *
 * Nothing is kept for a guest: every call says locale and options anew, so that its objects go with its heap. All that
 * crosses is bounded JSON. A guest's zone is UTC, its locale en-US: the host's are not its business.
 */

import * as z from "zod/mini";
import { GuestError } from "./guest_error.ts";

// Taken at load time: a locked-down Worker has none on its global object.
const HostIntl = Intl;

/** Longest request, UTF-16 units. */
const REQUEST_MAX = 256 * 1024;
/** Most locales that are given at once, and the longest tag: ICU sorts what is in one by a quadratic method. */
const LOCALES_MAX = 200;
const TAG_MAX = 1000;
/** Digits of a number, which come out as parts again. */
const DIGITS_MAX = 20_000;
/** Longest text that is cut into segments, UTF-16 units. */
const SEGMENTED_MAX = 64 * 1024;
/** Marks in a row in a text that is compared: where marks form contractions, ICU looks through all of them for each. */
const MARKS_MAX = 100;
/** Formatters that are kept for those who ask for the same again; with more, all are forgotten. */
const REMEMBERED = 100;
/** Fuel for a call, for a formatter that has to be made, and for each unit of text. */
const FUEL_PER_CALL = 2000;
const FUEL_PER_FORMATTER = 20_000;
const FUEL_PER_UNIT = 20;
const LOCALE = "en-US";

const KINDS = [
  "NumberFormat",
  "DateTimeFormat",
  "PluralRules",
  "RelativeTimeFormat",
  "ListFormat",
  "Collator",
  "DisplayNames",
  "Segmenter",
  "DurationFormat",
] as const;
type Kind = typeof KINDS[number];
const METHODS: Readonly<Record<Kind, readonly string[]>> = {
  NumberFormat: ["format", "formatToParts", "formatRange", "formatRangeToParts"],
  DateTimeFormat: ["format", "formatToParts", "formatRange", "formatRangeToParts"],
  PluralRules: ["select", "selectRange"],
  RelativeTimeFormat: ["format", "formatToParts"],
  ListFormat: ["format", "formatToParts"],
  Collator: ["compare"],
  DisplayNames: ["of"],
  Segmenter: ["segment"],
  DurationFormat: ["format", "formatToParts"],
};

const tag = z.string().check(z.maxLength(TAG_MAX, `a locale may have ${TAG_MAX} characters here`));
const locales = z.optional(z.union([
  tag,
  z.array(tag).check(z.maxLength(LOCALES_MAX, `${LOCALES_MAX} locales can be given at once here`)),
]));
const option = z.string().check(z.maxLength(TAG_MAX, `an option may have ${TAG_MAX} characters here`));
const options = z.optional(z.record(z.string(), z.union([option, z.number(), z.boolean()])));
const tooManyDigits = `a number may have ${DIGITS_MAX} digits here`;
/** JSON has no NaN, -0 and integers without end: numbers come as text. */
const argument = z.discriminatedUnion("is", [
  z.object({ is: z.literal("number"), value: z.string().check(z.maxLength(DIGITS_MAX, tooManyDigits)) }),
  z.object({
    is: z.literal("bigint"),
    value: z.string().check(z.maxLength(DIGITS_MAX, tooManyDigits), z.regex(/^-?\d+$/)),
  }),
  z.object({ is: z.literal("text"), value: z.string() }),
  z.object({ is: z.literal("list"), value: z.array(z.string()) }),
  z.object({ is: z.literal("fields"), value: z.record(z.string(), z.number()) }),
]);
const request = z.discriminatedUnion("ask", [
  z.object({
    ask: z.literal("call"),
    kind: z.enum(KINDS),
    locales,
    options,
    /** Absent: what its options come to. */
    method: z.optional(z.string()),
    args: z.array(argument),
  }),
  z.object({ ask: z.literal("supported"), kind: z.enum(KINDS), locales, options }),
  z.object({ ask: z.literal("canonical"), locales }),
  z.object({ ask: z.literal("values"), key: z.string() }),
  z.object({ ask: z.literal("locale"), tag, options }),
  z.object({ ask: z.literal("case"), text: z.string(), upper: z.boolean(), locales }),
]);
type Request = z.infer<typeof request>;
type Call = Extract<Request, { ask: "call" }>;

/** What all of them are, for whoever only passes on. */
type Formatter = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** @param charge Takes fuel for what is done. @returns Answers JSON with JSON; throws {@link GuestError}. */
export function intl(charge: (fuel: number) => void): (json: string) => string {
  const known = new Map<string, Formatter>();

  function formatter({ kind, locales, options }: Pick<Call, "kind" | "locales" | "options">): Formatter {
    const key = JSON.stringify([kind, locales, options]);
    const found = known.get(key);
    if (found) return found;
    charge(FUEL_PER_FORMATTER);
    const zone = kind === "DateTimeFormat" ? { timeZone: "UTC" } : {};
    const Class = (HostIntl as unknown as Record<string, new (...args: unknown[]) => Formatter>)[kind];
    if (!Class) throw new GuestError(`Intl.${kind} is not here`);
    const made = new Class(locales ?? LOCALE, { ...zone, ...options });
    if (known.size >= REMEMBERED) known.clear();
    known.set(key, made);
    return made;
  }

  function answer(asked: Request): unknown {
    switch (asked.ask) {
      case "call":
        return called(formatter(asked), asked);
      case "supported": {
        const Class = (HostIntl as unknown as Record<string, Formatter>)[asked.kind];
        return Class?.["supportedLocalesOf"]?.(asked.locales ?? [], asked.options);
      }
      case "canonical":
        return HostIntl.getCanonicalLocales(asked.locales);
      case "values":
        return HostIntl.supportedValuesOf(asked.key as Parameters<typeof HostIntl.supportedValuesOf>[0]);
      case "locale":
        return described(new HostIntl.Locale(asked.tag, asked.options));
      case "case":
        return asked.upper
          ? asked.text.toLocaleUpperCase(asked.locales)
          : asked.text.toLocaleLowerCase(asked.locales);
    }
  }

  return (json) => {
    if (json.length > REQUEST_MAX) {
      throw new GuestError(`Intl takes ${REQUEST_MAX} characters at once here`, { name: "RangeError" });
    }
    charge(FUEL_PER_CALL + json.length * FUEL_PER_UNIT);
    const { data, error } = request.safeParse(JSON.parse(json));
    if (!data) throw refusalOf(error);
    try {
      return JSON.stringify(answer(data) ?? null);
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
      throw new GuestError(error.message, { name: error.name });
    }
  };
}

/** What is too long is a range error that says so. */
function refusalOf({ issues }: z.core.$ZodError): GuestError {
  const found = issues.flatMap((issue) => issue.code === "invalid_union" ? issue.errors.flat() : [issue])
    .find(({ code }) => code === "too_big");
  return found
    ? new GuestError(found.message, { name: "RangeError" })
    : new GuestError("that is nothing that Intl can be asked", { name: "TypeError" });
}

function checkText(kind: Kind, text: string): void {
  const tooLong = kind === "Segmenter"
    ? text.length > SEGMENTED_MAX &&
      `a text of more than ${SEGMENTED_MAX} characters can't be segmented at once`
    : kind === "DisplayNames"
    ? text.length > TAG_MAX && `a code may have ${TAG_MAX} characters here`
    : kind === "Collator" && hasManyMarks(text) &&
      `a text with more than ${MARKS_MAX} combining marks in a row can't be compared`;
  if (tooLong) throw new GuestError(tooLong, { name: "RangeError" });
}

function hasManyMarks(text: string): boolean {
  for (const [marks] of text.matchAll(/\p{M}+/gu)) if (marks.length > MARKS_MAX) return true;
  return false;
}

function called(formatter: Formatter, { kind, method, args }: Call): unknown {
  if (method === undefined) return formatter["resolvedOptions"]!();
  if (!METHODS[kind].includes(method)) {
    throw new GuestError(`Intl.${kind} has no ${method}`, { name: "TypeError" });
  }
  for (const each of args) if (each.is === "text") checkText(kind, each.value);
  const values = args.map((each) =>
    each.is === "number" ? Number(each.value) : each.is === "bigint" ? BigInt(each.value) : each.value
  );
  const result = formatter[method]!(...values);
  if (kind !== "Segmenter") return result;
  const segments = result as Iterable<{ index: number; isWordLike?: boolean }>;
  return Array.from(
    segments,
    ({ index, isWordLike }) => isWordLike === undefined ? [index] : [index, isWordLike],
  );
}

function described(locale: Intl.Locale) {
  const {
    baseName,
    calendar,
    caseFirst,
    collation,
    hourCycle,
    language,
    numberingSystem,
    numeric,
    region,
    script,
  } = locale;
  return {
    tag: locale.toString(),
    maximal: locale.maximize().toString(),
    minimal: locale.minimize().toString(),
    fields: {
      baseName,
      calendar,
      caseFirst,
      collation,
      hourCycle,
      language,
      numberingSystem,
      numeric,
      region,
      script,
    },
  };
}
