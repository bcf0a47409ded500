const fs = require("fs");
const path = require("path");

const root = path.join(process.cwd(), "logs");
fs.mkdirSync(path.join(root, "2024", "01"), { recursive: true });
const levels = ["INFO", "WARN", "ERROR"];
for (let day = 1; day <= 3; day++) {
  const lines = Array.from({ length: 5 }, (_, i) => `${levels[(i + day) % 3]} day ${day} line ${i}`);
  fs.writeFileSync(path.join(root, "2024", "01", `${day}.log`), lines.join("\n") + "\n");
}

function walk(dir) {
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(dir, entry.name);
    return entry.isDirectory() ? walk(full) : [full];
  });
}

const counts = {};
for (const file of walk(root)) {
  const { size } = fs.statSync(file);
  for (const line of fs.readFileSync(file).toString().trim().split("\n")) {
    const [level] = line.split(" ");
    counts[level] = (counts[level] || 0) + 1;
  }
  console.log(path.relative(root, file), size, path.extname(file));
}
console.log(counts);
fs.writeFileSync("summary.json", JSON.stringify(counts, null, 2));
console.log(JSON.parse(fs.readFileSync("summary.json")));
fs.rmSync(root, { recursive: true, force: true });
console.log(fs.existsSync(root));
