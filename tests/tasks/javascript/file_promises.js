import {
  access,
  appendFile,
  constants,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import os from "node:os";
const dir = await mkdtemp(path.join(os.tmpdir(), "t-"));
await mkdir(path.join(dir, "a/b/c"), { recursive: true });
await writeFile(path.join(dir, "a/one.txt"), "one\n");
await appendFile(path.join(dir, "a/one.txt"), "two\n");
await copyFile(path.join(dir, "a/one.txt"), path.join(dir, "a/b/copy.txt"));
await rename(path.join(dir, "a/b/copy.txt"), path.join(dir, "a/b/c/moved.txt"));
const list = await readdir(dir, { recursive: true });
console.log(list.sort());
const ents = await readdir(path.join(dir, "a"), { withFileTypes: true });
console.log(ents.map((e) => [e.name, e.isDirectory(), e.isFile()]));
const s = await stat(path.join(dir, "a/one.txt"));
console.log(s.size, s.isFile(), s.mtime instanceof Date, typeof s.mtimeMs, s.mode.toString(8));
try {
  await readFile(path.join(dir, "nope"));
} catch (e) {
  console.log(e.code, e.errno, e.syscall, e.message.replace(dir, "DIR"));
}
try {
  await access(path.join(dir, "nope"), constants.R_OK);
} catch (e) {
  console.log(e.message.replace(dir, "DIR"));
}
try {
  await mkdir(path.join(dir, "a"));
} catch (e) {
  console.log(e.code, e.message.replace(dir, "DIR"));
}
try {
  await rm(path.join(dir, "a"));
} catch (e) {
  console.log(e.code, e.name, e.message.replace(dir, "DIR"));
}
const fh = await open(path.join(dir, "x.txt"), "w+");
await fh.write("hello world");
const { bytesRead, buffer } = await fh.read(Buffer.alloc(5), 0, 5, 6);
console.log(bytesRead, buffer.toString());
await fh.close();
const f2 = await open(path.join(dir, "a/one.txt"));
for await (const line of f2.readLines()) console.log("line", line);
await rm(dir, { recursive: true, force: true });
try {
  await stat(dir);
} catch (e) {
  console.log(e.code);
}
console.log(
  path.relative("/a/b", "/a/c/d"),
  path.parse("/x/y.tar.gz"),
  path.resolve("/a", "../b"),
  path.extname(".bashrc"),
);
