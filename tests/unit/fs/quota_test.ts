import assert from "node:assert/strict";
import { FsError } from "../../../src/fs/errors.ts";
import { MAX_FILE_BYTES } from "../../../src/fs/contents.ts";
import { assertFails, makeFileSystem, text } from "./harness.ts";

Deno.test("the byte quota holds to the byte, and what is removed comes back", () => {
  const fs = makeFileSystem({ maxBytes: 100_000 });
  fs.writeFile("/f", text(""));
  const room = 100_000 - fs.usage.bytes;
  fs.writeFile("/f", new Uint8Array(room));
  assert.equal(fs.usage.bytes, 100_000);
  assertFails(fs, "ENOSPC", () => fs.appendFile("/f", text("x")));
  assertFails(fs, "ENOSPC", () => fs.truncate("/f", room + 1));
  assertFails(fs, "ENOSPC", () => fs.mkdir("/d"));
  fs.truncate("/f", room - 1);
  fs.appendFile("/f", text("x"));
  fs.unlink("/f");
  assert.deepEqual(fs.usage, { bytes: 0, inodes: 0 });
});

Deno.test("the inode quota counts files, directories and symlinks", () => {
  const fs = makeFileSystem({ maxInodes: 3 });
  fs.writeFile("/f", text(""));
  fs.mkdir("/d");
  fs.symlink("f", "/s");
  assertFails(fs, "ENOSPC", () => fs.writeFile("/g", text("")));
  assertFails(fs, "ENOSPC", () => fs.mkdir("/e"));
  assertFails(fs, "ENOSPC", () => fs.symlink("f", "/t"));
  fs.link("/f", "/hard");
  fs.unlink("/f");
  assertFails(fs, "ENOSPC", () => fs.mkdir("/e"));
  fs.unlink("/hard");
  fs.mkdir("/e");
});

Deno.test("names, links and empty files are not free", () => {
  const fill = (make: (n: number) => void) => {
    for (let n = 0;; n++) {
      try {
        make(n);
      } catch (error) {
        assert.ok(error instanceof FsError && error.code === "ENOSPC");
        return n;
      }
    }
  };
  const maxBytes = 100_000;
  const files = makeFileSystem({ maxBytes });
  assert.ok(fill((n) => files.writeFile(`/${n}`, text(""))) < 400);
  const links = makeFileSystem({ maxBytes });
  links.writeFile("/f", text(""));
  assert.ok(fill((n) => links.link("/f", `/${n}`)) < 400);
  const symlinks = makeFileSystem({ maxBytes });
  assert.ok(fill((n) => symlinks.symlink("t".repeat(4_000), `/${n}`)) < 25);
  const directories = makeFileSystem({ maxBytes });
  assert.ok(fill((n) => directories.mkdir(`/${n}${"x".repeat(200)}`)) < 220);
});

Deno.test("a sparse file is charged by its size, and an impossible size allocates nothing", () => {
  const fs = makeFileSystem({ maxBytes: 2 ** 30 });
  using file = fs.open("/f", { create: true, write: true });
  file.seek(2 ** 29, "start");
  file.write(text("x"));
  assert.ok(fs.usage.bytes > 2 ** 29);
  for (const position of [2 ** 30, 2 ** 40, MAX_FILE_BYTES - 1]) {
    assertFails(fs, "ENOSPC", () => file.writeAt(text("x"), position));
  }
  for (const position of [MAX_FILE_BYTES, 2 ** 53 - 1, 2 ** 64]) {
    assertFails(fs, "EFBIG", () => file.writeAt(text("x"), position));
    assertFails(fs, "EFBIG", () => file.truncate(position + 1));
  }
  for (const bad of [-1, NaN, Infinity, 0.5]) {
    assertFails(fs, "EINVAL", () => file.writeAt(text("x"), bad));
    assertFails(fs, "EINVAL", () => file.readAt(new Uint8Array(1), bad));
    assertFails(fs, "EINVAL", () => file.truncate(bad));
  }
  assertFails(fs, "EINVAL", () => file.seek(2 ** 53, "start"));
  file.seek(2 ** 53 - 1, "start");
  assertFails(fs, "EFBIG", () => file.write(text("x")));
  assert.equal(file.read(new Uint8Array(1)), 0);
  assert.equal(file.stat().size, 2 ** 29 + 1);
});

Deno.test("an unlinked file that is open stays readable and charged until the last close", () => {
  const fs = makeFileSystem();
  const first = fs.open("/f", { create: true, write: true });
  const second = fs.open("/f");
  first.write(new Uint8Array(50_000).fill(5));
  fs.unlink("/f");
  fs.writeFile("/f", text("another file"));
  const { bytes } = fs.usage;
  const buffer = new Uint8Array(50_000);
  assert.equal(second.read(buffer), 50_000);
  assert.ok(buffer.every((byte) => byte === 5));
  first.write(text("more"));
  assert.equal(second.read(buffer), 4);
  first.close();
  assert.equal(fs.usage.bytes, bytes + 4);
  second.close();
  assert.equal(fs.usage.bytes, bytes - 50_000);
  assert.equal(fs.usage.inodes, 1);
});

Deno.test("renaming and replacing leave nothing charged behind", () => {
  const fs = makeFileSystem();
  fs.mkdir("/d/e", { recursive: true });
  for (let n = 0; n < 50; n++) fs.writeFile(`/d/e/${n}`, new Uint8Array(n * 100));
  for (let n = 0; n < 49; n++) fs.rename(`/d/e/${n}`, `/d/e/${n + 1}`);
  fs.rename("/d/e", `/${"long".repeat(60)}`);
  fs.rename(`/${"long".repeat(60)}`, "/d/s");
  assert.equal(fs.readdir("/d/s").length, 1);
  assert.equal(fs.stat("/d/s/49").size, 0);
  fs.rm("/d", { recursive: true });
  assert.deepEqual(fs.usage, { bytes: 0, inodes: 0 });
});
