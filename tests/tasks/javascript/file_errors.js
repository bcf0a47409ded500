const fs = require("fs");
process.chdir(fs.mkdtempSync("/tmp/work-"));
fs.rmSync("d", { recursive: true, force: true });
fs.mkdirSync("d/e/f", { recursive: true });
fs.writeFileSync("d/a.txt", "abc", { flag: "wx" });
try {
  fs.writeFileSync("d/a.txt", "x", { flag: "wx" });
} catch (e) {
  console.log(e.message, e.path);
}
fs.symlinkSync("a.txt", "d/link");
console.log(
  fs.readlinkSync("d/link"),
  fs.lstatSync("d/link").isSymbolicLink(),
  require("path").basename(fs.realpathSync("d/link")),
  fs.readFileSync("d/link", "utf8"),
);
fs.chmodSync("d/a.txt", 0o600);
console.log((fs.statSync("d/a.txt").mode & 0o777).toString(8));
const fd = fs.openSync("d/b.bin", "w+");
fs.writeSync(fd, Buffer.from([1, 2, 3]));
fs.ftruncateSync(fd, 2);
fs.fsyncSync(fd);
console.log(fs.fstatSync(fd).size);
const buf = Buffer.alloc(4);
console.log(fs.readSync(fd, buf, 0, 4, 0), buf);
fs.closeSync(fd);
console.log(
  fs.readdirSync("d").sort(),
  fs.readdirSync("d", { withFileTypes: true }).map((d) =>
    d.name + (d.isDirectory() ? "/" : d.isSymbolicLink() ? "@" : "")
  ).sort(),
);
for (
  const f of [
    () => fs.readFileSync("none"),
    () => fs.readdirSync("d/a.txt"),
    () => fs.rmdirSync("d"),
    () => fs.mkdirSync("d"),
    () => fs.readFileSync("d"),
    () => fs.unlinkSync("d/none"),
    () => fs.renameSync("no", "x"),
    () => fs.openSync("q/w/e", "w"),
    () => fs.readFileSync(),
    () => fs.writeFileSync("d/x"),
    () => fs.statSync("zz"),
    () => fs.copyFileSync("zz", "y"),
    () => fs.accessSync("zz"),
    () => fs.readFile("x"),
    () => fs.rmSync("nope"),
    () => fs.cpSync("nope", "x"),
    () => fs.truncateSync("nope"),
    () => fs.utimesSync("nope", 1, 1),
    () => fs.readlinkSync("d/a.txt"),
  ]
) {
  try {
    console.log(f());
  } catch (e) {
    console.log(e.code, e.message);
  }
}
console.log(fs.statSync("zz", { throwIfNoEntry: false }), fs.existsSync("d/e"));
fs.cpSync("d", "d2", { recursive: true });
console.log(fs.readdirSync("d2").sort());
fs.appendFileSync("d/a.txt", "def");
fs.utimesSync("d/a.txt", 1e9, 1e9);
console.log(fs.statSync("d/a.txt").mtime.toISOString());
fs.readFile("d/a.txt", "utf8", (e, s) => {
  console.log(e, s);
  fs.rm("d", { recursive: true }, (e) => {
    console.log(e, fs.existsSync("d"));
    fs.stat("d", (e) => console.log(e.code));
  });
});
fs.rmSync("d2", { recursive: true });
console.log(
  fs.opendirSync("/tmp").path,
  typeof fs.constants.O_RDONLY,
  fs.promises === require("fs/promises"),
);
