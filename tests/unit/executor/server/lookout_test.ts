/** The shell beside the server: the memory that it finds a machine to have, and what processes hold. */

import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import { Lookout } from "../../../../src/executor/server/lookout.ts";

const GIB = 1024 ** 3;

/** A file system with these files, in which the lookout looks. */
async function machine(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await Deno.makeTempDir({ prefix: "wasmbox-machine-" });
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${root}${path.slice(0, path.lastIndexOf("/"))}`, { recursive: true });
    await Deno.writeTextFile(`${root}${path}`, `${text}\n`);
  }
  return root;
}

async function memoryOf(files: Readonly<Record<string, string>>): Promise<number> {
  const root = await machine(files);
  try {
    await using lookout = Lookout.start(root)!;
    return await lookout.machineBytes;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const MEMINFO = { "/proc/meminfo": "MemTotal:       16777216 kB\nMemFree: 1 kB" };

Deno.test("a machine has the memory of /proc/meminfo, and is not known where there is none", async () => {
  assert.equal(await memoryOf(MEMINFO), 16 * GIB);
  assert.equal(await memoryOf({ "/proc/other": "" }), Infinity);
});

Deno.test("a control group of version 2 bounds it, and so do those around it", async () => {
  const at = (group: string, files: Readonly<Record<string, string>>) =>
    memoryOf({
      ...MEMINFO,
      "/proc/self/cgroup": `0::${group}`,
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`/sys/fs/cgroup${path}`, text])),
    });
  assert.equal(await at("/", { "/memory.max": String(4 * GIB) }), 4 * GIB, "in a container");
  assert.equal(await at("/", { "/memory.max": "max" }), 16 * GIB);
  assert.equal(await at("/a/b.service", { "/a/b.service/memory.max": String(2 * GIB) }), 2 * GIB);
  assert.equal(
    await at("/a/b", {
      "/a/b/memory.max": "max",
      "/a/memory.max": String(3 * GIB),
      "/memory.max": String(5 * GIB),
    }),
    3 * GIB,
    "the one around it",
  );
  assert.equal(
    await at("/a", { "/a/memory.max": String(3 * GIB), "/a/memory.high": String(GIB) }),
    GIB,
    "beyond which it is slowed down",
  );
  assert.equal(await at("/../elsewhere", { "/memory.max": String(6 * GIB) }), 6 * GIB);
});

Deno.test("a control group of version 1 bounds it, and one without a limit does not", async () => {
  const at = (group: string, files: Readonly<Record<string, string>>) =>
    memoryOf({
      ...MEMINFO,
      "/proc/self/cgroup": `9:name=systemd:/x\n5:cpu,memory:${group}\n1:blkio:/y\n0::/`,
      ...Object.fromEntries(
        Object.entries(files).map(([path, text]) => [`/sys/fs/cgroup/memory${path}`, text]),
      ),
    });
  const limit = "memory.limit_in_bytes";
  assert.equal(await at("/docker/1", { [`/docker/1/${limit}`]: String(2 * GIB) }), 2 * GIB);
  assert.equal(await at("/docker/1", { [`/${limit}`]: String(2 * GIB) }), 2 * GIB, "seen from inside");
  assert.equal(await at("/docker/1", { [`/docker/1/${limit}`]: "9223372036854771712" }), 16 * GIB);
});

Deno.test("it tells what processes hold, and leaves out those that are gone", async () => {
  const empty = await machine({});
  for (const root of ["", empty]) {
    await using lookout = Lookout.start(root)!;
    const gone = new Deno.Command("true").spawn();
    await gone.status;
    const sample = await lookout.sample([Deno.pid, gone.pid]);
    assert.deepEqual([...sample!.keys()], [Deno.pid], `cheap: ${lookout.cheap}`);
    const { rss } = Deno.memoryUsage();
    const { bytes, sharedBytes } = sample!.get(Deno.pid)!;
    assert.ok(bytes > rss / 2 && bytes < rss * 2, `${bytes}, not ${rss}`);
    assert.ok(sharedBytes < bytes);
    assert.equal((await lookout.sample([]))!.size, 0);
    assert.equal(lookout.cheap, root === "" && Deno.build.os === "linux");
  }
  await Deno.remove(empty);
});

Deno.test("one that was killed says nothing any more, and nobody waits for it", async () => {
  await using lookout = Lookout.start()!;
  await lookout.machineBytes;
  Deno.kill(lookout.pid, "SIGKILL");
  assert.equal(await lookout.sample([Deno.pid]), undefined);
  await eventually("its end is known", () => Promise.resolve(lookout.alive), (alive) => !alive);
});
