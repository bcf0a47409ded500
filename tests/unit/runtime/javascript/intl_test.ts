/** Intl for guests is the host's: what it formats is what it formats here, with a guest's own preset. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

const LOCALES = ["en", "en-GB", "de", "fr", "es", "ja", "zh", "de-CH", "ar-EG", "tr", "xx-none"];
const NUMBERS = ["1234567.891", "-0.5", "0", "1e21", "123456789012345678901234567890n", "NaN"];
const NUMBER_OPTIONS = [
  "{}",
  '{style:"currency",currency:"EUR"}',
  '{style:"percent",maximumFractionDigits:1}',
  '{notation:"compact"}',
  '{style:"unit",unit:"kilometer-per-hour"}',
];
const DATE_OPTIONS = [
  "{}",
  '{dateStyle:"full"}',
  '{dateStyle:"short",timeStyle:"long",timeZone:"America/New_York"}',
  '{weekday:"short",month:"long",day:"numeric",hour:"2-digit",hour12:false,timeZone:"Asia/Tokyo"}',
];
const SORTED = '["z","ä","a","Z","é","e","10","9","_x"," b","ß","ss","a-b","ab","A"]';

/** Expressions that give text, the same in every engine with the same ICU. */
function cases(): string[] {
  const all: string[] = [];
  for (const locale of LOCALES.map((each) => JSON.stringify(each))) {
    for (const number of NUMBERS) {
      for (const options of NUMBER_OPTIONS) {
        all.push(`new Intl.NumberFormat(${locale},${options}).format(${number})`);
      }
    }
    all.push(`(1234.5).toLocaleString(${locale})`, `(12n).toLocaleString(${locale})`);
    for (const options of DATE_OPTIONS) {
      const zoned = options.includes("timeZone")
        ? options
        : options.replace(/}$/, `${options === "{}" ? "" : ","}timeZone:"UTC"}`);
      all.push(`new Date(1706533509123).toLocaleString(${locale},${zoned})`);
    }
    all.push(
      `new Date(0).toLocaleDateString(${locale},{timeZone:"UTC"})`,
      `new Date(0).toLocaleTimeString(${locale},{timeZone:"UTC"})`,
      `${SORTED}.sort(new Intl.Collator(${locale}).compare).join()`,
      `${SORTED}.sort((a,b)=>a.localeCompare(b,${locale},{sensitivity:"base",numeric:true})).join()`,
      `[0,1,2,3,5,21,100].map((n)=>new Intl.PluralRules(${locale}).select(n)).join()`,
      `[1,2,3,4,11,22].map((n)=>new Intl.PluralRules(${locale},{type:"ordinal"}).select(n)).join()`,
      `new Intl.RelativeTimeFormat(${locale},{numeric:"auto"}).format(-1,"day")`,
      `new Intl.RelativeTimeFormat(${locale}).format(3,"month")`,
      `new Intl.ListFormat(${locale},{type:"disjunction"}).format(["a","b","c"])`,
      `new Intl.DisplayNames(${locale},{type:"region"}).of("DE")+new Intl.DisplayNames(${locale},{type:"currency"}).of("USD")`,
      `[...new Intl.Segmenter(${locale},{granularity:"word"}).segment("Hello, 世界 is big.")].map((s)=>s.segment+s.isWordLike).join("|")`,
      `JSON.stringify(new Intl.NumberFormat(${locale},{style:"currency",currency:"JPY"}).formatToParts(-1234.5))`,
      `JSON.stringify(new Intl.NumberFormat(${locale}).resolvedOptions())`,
      `JSON.stringify(new Intl.DateTimeFormat(${locale},{timeZone:"Europe/Berlin"}).resolvedOptions())`,
      `new Intl.DateTimeFormat(${locale},{timeZone:"UTC"}).formatRange(0,1e9)`,
      `"Iıİi ß".toLocaleUpperCase(${locale})+"IİI".toLocaleLowerCase(${locale})`,
    );
  }
  return all;
}

Deno.test("what Intl formats is what the host's own Intl does", async () => {
  const expressions = cases();
  assert.ok(expressions.length >= 300);
  const printed = await new Session().stdout(
    `for (const each of ${
      JSON.stringify(expressions)
    }) { try { console.log(JSON.stringify(String((0, eval)(each)))); } catch (e) { console.log(JSON.stringify(e.name)); } }`,
  );
  const answers = printed.trimEnd().split("\n").map((line) => JSON.parse(line));
  expressions.forEach((expression, at) => {
    let expected: string;
    try {
      expected = String((0, eval)(expression));
    } catch (error) {
      expected = (error as Error).name;
    }
    assert.equal(answers[at], expected, expression);
  });
});

Deno.test("a guest's zone is UTC and its locale en-US, whatever the host's are", async () => {
  const session = new Session();
  assert.equal(
    await session.value(
      "const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions(); [locale, timeZone]",
    ),
    "[ 'en-US', 'UTC' ]",
  );
  assert.equal(await session.value("new Date(0).toLocaleString()"), "'1/1/1970, 12:00:00 AM'");
  assert.equal(await session.value("(0.1).toLocaleString('xx-none')"), "'0.1'");
});

Deno.test("what is sorted without asking the host has the order that the host has", async () => {
  const ascii = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
  const words = [
    ...ascii,
    ...ascii.map((each) => `a${each}`),
    ...ascii.map((each) => `${each}A`),
    "ab",
    "aB",
    "Ab",
    "a-b",
    "a b",
  ];
  const sorted = await new Session().value(
    `JSON.stringify(${JSON.stringify(words)}.sort((a, b) => a.localeCompare(b)))`,
  );
  const expected = [...words].sort((a, b) => a.localeCompare(b, "en-US"));
  assert.deepEqual(JSON.parse((0, eval)(sorted!)), expected);
});

Deno.test("formatters go on in a later run, and the host bounds what it is asked", async () => {
  const session = new Session();
  await session.run("f = new Intl.NumberFormat('de', { minimumFractionDigits: 2 })");
  assert.equal(await session.value("f.format(1234)"), "'1.234,00'");
  assert.equal((await session.error("'x'.repeat(3e5).localeCompare('é')")).type, "RangeError");
  assert.equal((await session.error("new Intl.NumberFormat('en', { style: 'currency' })")).type, "TypeError");
  assert.equal(
    (await session.error("new Intl.DateTimeFormat('en', { timeZone: 'No/Where' })")).type,
    "RangeError",
  );
  assert.equal(await session.value("[...new Intl.Segmenter().segment('é👍🏽'.repeat(20000))].length"), "40000");
  const spent = await session.run("for (;;) f.format(Math.random())", { fuelBudget: 5_000_000 });
  assert.equal(spent.status, "out_of_fuel");
});

/** What would take the host longer than it may, beside what is as large as it may be. */
const BOUNDS: readonly (readonly [what: string, refused: string, allowed: string])[] = [
  [
    "marks in a row in a text that is compared",
    `new Intl.Collator("sv").compare("a" + "\\u0316\\u0301".repeat(60000), "b")`,
    `new Intl.Collator("sv").compare(("a" + "\\u0316\\u0301".repeat(50)).repeat(1000), "b")`,
  ],
  [
    "characters of a locale",
    `new Intl.Locale("en-x-" + "abcdefgh-".repeat(10000) + "a")`,
    `new Intl.Locale("en-x-" + "abcdefgh-".repeat(100) + "a")`,
  ],
  [
    "locales at once",
    `Intl.getCanonicalLocales(Array(201).fill("en"))`,
    `Intl.getCanonicalLocales(Array(200).fill("en"))`,
  ],
  [
    "digits of a number",
    `new Intl.NumberFormat("en").formatRangeToParts(1n, 10n ** 30000n)`,
    `new Intl.NumberFormat("en").formatRangeToParts(1n, 10n ** 19998n)`,
  ],
  [
    "characters of an option",
    `new Intl.NumberFormat("en", { numberingSystem: "abcd-".repeat(10000) + "abcd" })`,
    `new Intl.NumberFormat("en", { numberingSystem: "latn" })`,
  ],
  [
    "characters of a code",
    `new Intl.DisplayNames("en", { type: "language" }).of("en-" + "abcde-".repeat(10000) + "abcde")`,
    `new Intl.DisplayNames("en", { type: "language" }).of("en-abcde-fghij")`,
  ],
];

for (const [what, refused, allowed] of BOUNDS) {
  Deno.test(`too many ${what} are refused, and said to be`, async () => {
    const session = new Session();
    const { type, message } = await session.error(refused);
    assert.equal(type, "RangeError");
    assert.match(message, /here$|at once$|can't be compared$/);
    await session.value(`${allowed}, 1`);
  });
}
