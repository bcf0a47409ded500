import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

function parseCsv(text) {
  const rows = [];
  let row = [], field = "", quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') {
        field += '"';
        i++;
      } else if (c === '"') quoted = false;
      else field += c;
    } else if (c === '"') quoted = true;
    else if (c === ",") {
      row.push(field);
      field = "";
    } else if (c === "\n") {
      row.push(field);
      rows.push(row);
      row = [];
      field = "";
    } else field += c;
  }
  if (field || row.length) rows.push([...row, field]);
  const [head, ...rest] = rows;
  return rest.map((r) => Object.fromEntries(head.map((h, i) => [h, r[i]])));
}

await mkdir("data/out", { recursive: true });
await writeFile(
  "data/people.csv",
  'name,age,city\n"Doe, Jane",34,"New ""York"""\nBob,27,Paris\nZoë,41,Zürich\n',
);
const people = parseCsv(await readFile("data/people.csv", "utf8"));
console.table(people);
await writeFile(join("data/out", "people.json"), JSON.stringify(people, null, 2));
const loaded = JSON.parse(await readFile("data/out/people.json"));
console.log(loaded.map((p) => ({ ...p, age: Number(p.age) })).sort((a, b) => b.age - a.age));
for (const entry of await readdir("data", { recursive: true })) {
  console.log(entry, (await stat(join("data", entry))).isFile(), basename(entry));
}
