const d = new Date(Date.UTC(2024, 2, 31, 1, 30));
for (const tz of ["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo"]) {
  console.log(
    tz,
    new Intl.DateTimeFormat("en-US", { dateStyle: "full", timeStyle: "long", timeZone: tz }).format(d),
  );
}
console.log(
  d.toLocaleDateString("de-DE", { weekday: "long", year: "numeric", month: "long", day: "numeric" }),
  d.toLocaleTimeString("fr-FR", { timeZone: "Europe/Paris" }),
  d.toLocaleString("ja-JP", { timeZone: "Asia/Tokyo" }),
);
console.log(
  new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" }).format(1234567.891),
  (0.256).toLocaleString("en", { style: "percent", maximumFractionDigits: 1 }),
  new Intl.NumberFormat("en", { notation: "compact" }).format(1234567),
  new Intl.NumberFormat("en-IN").format(12345678),
);
console.log(
  new Intl.PluralRules("en", { type: "ordinal" }).select(22),
  new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-1, "day"),
  new Intl.ListFormat("en").format(["a", "b", "c"]),
  ["ä", "a", "z"].sort(new Intl.Collator("de").compare),
  [..."a👨‍👩‍👧b"].length,
  [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment("a👨‍👩‍👧b")].length,
);
console.log(
  new Intl.DateTimeFormat("en-GB", {
    timeZone: "America/Los_Angeles",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).formatToParts(d),
);
console.log(
  Intl.DateTimeFormat().resolvedOptions().locale,
  new Intl.DisplayNames("en", { type: "region" }).of("DE"),
);
console.log(
  (1e6).toLocaleString(),
  new Date(0).toISOString(),
  new Date("2024-02-30").toString(),
  new Date(NaN) + "",
);
console.log(
  ["résumé", "resume", "Résumé"].sort((a, b) => a.localeCompare(b)),
  "a".localeCompare("B", undefined, { sensitivity: "base" }),
);
try {
  new Intl.NumberFormat("en", { style: "currency" });
} catch (e) {
  console.log(e.name, e.message);
}
