const amount = 1234567.891;
for (
  const [locale, currency] of [["en-US", "USD"], ["de-DE", "EUR"], ["ja-JP", "JPY"], ["fr-FR", "EUR"], [
    "es-ES",
    "EUR",
  ]]
) {
  console.log(locale, new Intl.NumberFormat(locale, { style: "currency", currency }).format(amount));
}
const date = new Date(Date.UTC(2024, 1, 29, 13, 5, 9));
console.log(
  date.toLocaleDateString("en-US", { weekday: "long", year: "numeric", month: "long", day: "numeric" }),
);
console.log(
  date.toLocaleDateString("de-DE"),
  date.toLocaleTimeString("de-DE", { timeZone: "Europe/Berlin" }),
);
console.log(new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "Asia/Tokyo" }).format(date));
console.log(
  (0.256).toLocaleString("en-US", { style: "percent", minimumFractionDigits: 1 }),
  amount.toLocaleString(),
);
console.log(new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-1, "day"));
console.log(new Intl.ListFormat("en", { style: "long", type: "conjunction" }).format(["a", "b", "c"]));
console.log(["z", "ä", "a", "Z"].sort(new Intl.Collator("de").compare).join());
console.log(
  ["item10", "item2", "Item1"].sort((a, b) =>
    a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" })
  ).join(),
);
const rules = new Intl.PluralRules("en", { type: "ordinal" });
const suffix = { one: "st", two: "nd", few: "rd", other: "th" };
console.log([1, 2, 3, 4, 11, 22].map((n) => n + suffix[rules.select(n)]).join(" "));
console.log([...new Intl.Segmenter("en", { granularity: "grapheme" }).segment("👨‍👩‍👧‍👦🇩🇪é")].length);
console.log(new Intl.NumberFormat("en", { notation: "compact" }).format(12_345_678));
