// What fs refuses and in which words; modes, masks, open files and streams over them.
const fs = require("node:fs");
const { open, writeFile } = require("node:fs/promises");
const path = require("node:path");
const { promisify } = require("node:util");

const root = fs.mkdtempSync(path.join(require("node:os").tmpdir(), "checks-"));
const at = (...names) => path.join(root, ...names);
const mode = (name) => (fs.statSync(at(name)).mode & 0o777).toString(8);
fs.writeFileSync(at("file"), "one\ntwo\n");

for (
  const call of [
    () => fs.mkdirSync(at("file", "below"), { recursive: true }),
    () => fs.mkdirSync(at("m"), { mode: "x" }),
    () => fs.chmodSync(at("file"), "9"),
    () => fs.createReadStream(at("file"), { start: 5, end: 2 }),
    () => fs.createWriteStream(at("file"), { start: "4" }),
    () => fs.readSync(fs.openSync(at("file")), Buffer.alloc(0), 0, 1),
    () => fs.readSync(fs.openSync(at("file")), Buffer.alloc(1), 0, 1, "0"),
    () => fs.writevSync(1, [5]),
    () => fs.readFileSync(123456),
    () => fs.readdirSync(root, "utf-9"),
    () => fs.symlinkSync("a", at("b"), "soft"),
    () => fs.chownSync(at("file"), "me", 1),
    () => fs.readFile(at("file"), { signal: "now" }, () => {}),
  ]
) {
  try {
    call();
    console.log("nothing");
  } catch (error) {
    console.log(error.name, error.code, error.message.replaceAll(root, ""));
  }
}

async function main() {
  await new Promise((resolve) => setTimeout(resolve, 5));
  console.log(JSON.stringify(fs.readFileSync(at("file"), "utf8")));

  console.log(process.umask(0o077).toString(8));
  fs.mkdirSync(at("private"));
  fs.writeFileSync(at("private/file"), "");
  console.log(mode("private"), mode("private/file"), process.umask(0o022).toString(8));
  fs.mkdirSync(at("a/b"), { recursive: true, mode: 0o700 });
  fs.writeFileSync(at("a/x"), "", { mode: 0o600 });
  fs.writeFileSync(at("a/x"), "again", { mode: 0o644 });
  console.log(mode("a"), mode("a/b"), mode("a/x"));

  const handle = await open(at("handle"), "w+", 0o640);
  await handle.write("one\ntwo", null, "utf8");
  console.log((await handle.writev([Buffer.from("\n3"), Buffer.from("\n4")])).bytesWritten, mode("handle"));
  const buffers = [Buffer.alloc(3), Buffer.alloc(4)];
  console.log((await handle.readv(buffers, 0)).bytesRead, buffers.join("|"));
  await handle.close();
  await handle.stat().catch((error) => console.log(error.code, error.message, error.syscall));
  const fd = fs.openSync(at("handle"));
  console.log(
    await promisify(fs.readv)(fd, [Buffer.alloc(2)]),
    fs.writeSync(fs.openSync(at("w"), "w"), "x", -1),
  );

  const kept = fs.createWriteStream(at("kept"), { autoClose: false });
  kept.end("kept");
  await new Promise((resolve) => kept.on("finish", () => setTimeout(resolve, 5)));
  console.log(kept.closed, typeof kept.fd);
  kept.close();

  await writeFile(at("latin"), ["ü", "b"], "latin1");
  console.log(fs.readFileSync(at("latin")));
  const stop = new AbortController();
  fs.readFile(at("file"), { signal: stop.signal }, (error) => console.log(error.name, error.code));
  stop.abort();
  await new Promise((resolve) => setTimeout(resolve, 5));
  fs.rmSync(root, { recursive: true });
}
main();
