const text = `The quick brown fox — jumps over the lazy dog.
  "Ünïcödé" strings, e-mails like a.b@example.org and dates 2024-02-29, 1999-12-31.`;
const words = text.toLowerCase().match(/\p{L}+/gu);
const counts = words.reduce((m, w) => m.set(w, (m.get(w) ?? 0) + 1), new Map());
console.log(words.length, [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, 3));
for (const { groups, index } of text.matchAll(/(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)/g)) {
  console.log({ ...groups }, index);
}
console.log(
  text.replace(/(\w+)@(\w+)\.(\w+)/, (_, user, host, tld) => `${user} at ${host} dot ${tld}`).split("\n")[1]
    .trim(),
);
console.log(
  "ü".normalize("NFD").length,
  "straße".toUpperCase(),
  "İ".toLowerCase().length,
  "ab\u0301c".normalize(),
);
console.log(
  "camelCaseString".replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
  "a,b;c d".split(/[,; ]/),
  /(?<=\$)\d+/.exec("cost $42")[0],
);
console.log(
  [..."👍🏽é"].length,
  "👍".length,
  "abc".at(-1),
  "x".repeat(3),
  "  pad ".trimEnd() + "|",
  "a-b".split("-", 1),
);
console.log(JSON.stringify({ text: "line\n\ttab \u2028 \ud800" }), escape("ä b"), encodeURI("ä b?c=d&e"));
console.log(
  String.raw`\n${1}`,
  "b" < "a",
  "10" < "9",
  "a".localeCompare("B"),
  ["b", "a", "C"].sort(),
  ["b", "a", "C"].sort((a, b) => a.localeCompare(b)),
);
console.log(
  (255).toString(16),
  (0.1 + 0.2).toFixed(2),
  parseInt("12px"),
  Number("0x1f"),
  (1234.5678).toPrecision(6),
  (1e21).toString(),
  Number.parseFloat("1e-7"),
);
