// Reads a CSV file, groups it, writes a report.
const fs = require("fs");
const path = require("path");

const directory = fs.existsSync("/app") ? "/app/report" : "/tmp/report";
fs.mkdirSync(directory, { recursive: true });
const file = path.join(directory, "sales.csv");
fs.writeFileSync(
  file,
  [
    "date,region,amount",
    "2026-01-03,north,120.50",
    "2026-01-04,south,80",
    "2026-02-01,north,99.99",
    "2026-02-11,east,10",
  ].join("\n") + "\n",
);

const [header, ...lines] = fs.readFileSync(file, "utf8").trim().split("\n").map((line) => line.split(","));
const rows = lines.map((cells) => Object.fromEntries(header.map((name, i) => [name, cells[i]])));

const totals = new Map();
for (const { region, amount } of rows) totals.set(region, (totals.get(region) ?? 0) + Number(amount));

const sorted = [...totals].sort(([, a], [, b]) => b - a);
for (const [region, total] of sorted) console.log(region.padEnd(8) + total.toFixed(2).padStart(10));

const months = Object.groupBy ? Object.groupBy(rows, ({ date }) => date.slice(0, 7)) : rows.reduce(
  (all, row) => ({ ...all, [row.date.slice(0, 7)]: [...all[row.date.slice(0, 7)] ?? [], row] }),
  {},
);
console.log(Object.entries(months).map(([month, list]) => `${month}: ${list.length}`));

fs.writeFileSync(path.join(directory, "totals.json"), JSON.stringify(Object.fromEntries(sorted)));
console.log(fs.readdirSync(directory), path.extname(file), path.basename(file, ".csv"));
console.log(JSON.parse(fs.readFileSync(path.join(directory, "totals.json"), "utf8")));
