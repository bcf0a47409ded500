import assert from "node:assert/strict";
import { FsError } from "../../../src/fs/errors.ts";
import { list } from "../../../src/fs/listing.ts";
import { storable, TIME_MAX, timeOf } from "../../../src/fs/times.ts";
import { wireStat } from "../../../src/volumes/host_files.ts";
import { makeFileSystem, text } from "./harness.ts";

const ODD = [-(2n ** 80n), -1n, 0n, 1n, TIME_MAX, TIME_MAX + 1n, 2n ** 64n - 1n, 2n ** 95n];

Deno.test("whatever time is set, by path or by open file, one is stored that a Date and 64 bits with a sign can tell", () => {
  const fs = makeFileSystem();
  fs.writeFile("/f", text("x"));
  fs.symlink("f", "/l");
  fs.mkdir("/d");
  for (const time of ODD) {
    for (const path of ["/f", "/l", "/d"]) {
      fs.setTimes(path, { atime: time, mtime: time }, { follow: false });
      const { atime, mtime, ctime } = fs.stat(path, { follow: false });
      assert.equal(atime, storable(time));
      assert.equal(mtime, storable(time));
      for (const each of [atime, mtime, ctime]) assert.ok(each >= 0n && each <= TIME_MAX);
    }
    using file = fs.open("/f", { write: true });
    file.setTimes({ mtime: time });
    assert.equal(file.stat().mtime, storable(time));
    for (const { stat } of list(fs, "/", { recursive: true, limit: 10, maxBytes: 1e6 }).entries) {
      assert.match(new Date(Number(stat.mtime / 1_000_000n)).toISOString(), /^\d{4}-/);
    }
  }
});

Deno.test("a clock that says anything at all makes stamps that can be stored", () => {
  for (const time of ODD) {
    const fs = makeFileSystem({ now: () => time });
    fs.writeFile("/f", text("x"));
    fs.mkdir("/d");
    fs.chmod("/f", 0o600);
    for (const path of ["/", "/f", "/d"]) {
      const { atime, mtime, ctime } = fs.stat(path);
      assert.deepEqual([atime, mtime, ctime], [storable(time), storable(time), storable(time)]);
    }
  }
});

Deno.test("numbers of milliseconds become the nearest time, and NaN is refused", () => {
  assert.equal(timeOf(1.5), 1_500_000n);
  assert.equal(timeOf(-1), 0n);
  assert.equal(timeOf(-Infinity), 0n);
  for (const late of [8.64e15, 1e300, Infinity]) {
    const time = timeOf(late);
    assert.ok(time <= TIME_MAX && time > TIME_MAX - 1_000_000_000n, `${late}: ${time}`);
  }
  assert.throws(() => timeOf(NaN), (error) => error instanceof FsError && error.code === "EINVAL");
});

Deno.test("a file of the host whose time no Date can tell can still be told of", () => {
  // As the platform gives it for a file of tmpfs after `touch -d @99999999999999`.
  const never = new Date(NaN);
  const stat = { ...Deno.lstatSync(import.meta.filename!), atime: never, mtime: never, ctime: never };
  const told = JSON.parse(JSON.stringify(wireStat(stat, false)));
  assert.deepEqual([told.atime, told.mtime, told.ctime], [0, 0, 0]);
});
