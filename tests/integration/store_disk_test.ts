/** Stores whose disk has no room, or can't be written. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { StoredServers } from "../support/stored_server.ts";

async function run(command: string, ...args: string[]): Promise<boolean> {
  const { success } = await new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output();
  return success;
}

/** Whether file systems can be mounted in a namespace of one's own, and reached from outside. */
const CAN_MOUNT = Deno.build.os === "linux" && Deno.uid() === 0 &&
  await run("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt").catch(() => false);

Deno.test({
  name:
    `[${UNDER_TEST}] a full disk, or one that is gone, does no damage: the server goes on, says what is at stake, and stores it later`,
  ignore: !CAN_MOUNT,
  fn: async () => {
    await using servers = await StoredServers.make();
    await Deno.mkdir(servers.path);
    const { command, args } = servers.command();
    const mounting = `mount -t tmpfs -o size=8m none "$1" && shift && exec "$@"`;
    const inner = ["sh", "-c", mounting, "sh", servers.path, command, ...args];
    const server = await servers.startAs({ command: "unshare", args: ["-rm", ...inner] });
    const pid = server.transport.pid!;
    const filler = `/proc/${pid}/root${servers.path}/filler`;
    const inside = (...args: string[]) => run("nsenter", `--target=${pid}`, "-U", "-m", ...args);
    const python = async (code: string, session_id?: string) => {
      const reply = await server.python(code, session_id === undefined ? {} : { session_id });
      return { ...reply, durable: (reply as unknown as { durable: boolean }).durable };
    };

    assert.equal((await python("x = 1")).durable, true);
    await run("sh", "-c", `head -c 100M /dev/zero > ${filler}`);
    const full = await python("x = 2; b = [str(i) for i in range(50_000)]");
    assert.equal(full.durable, false);
    assert.match(full.notice ?? "", /would not survive the loss of the server: the store's disk is full/);
    assert.equal((await python("x, len(b)")).result, "(2, 50000)");
    const other = await server.call("execute_code", { code: "1", session_id: "other" });
    assert.ok(other.isError || other.structured["durable"] === false, other.text);
    const fork = await server.call("fork_session", { new_session_id: "fork" });
    assert.equal(fork.isError, true);
    assert.match(fork.text, /disk is full/);

    await run("rm", filler);
    assert.equal((await python("x += 1; x")).durable, true);
    assert.ok(await inside("mount", "-t", "tmpfs", "-o", "ro", "none", `${servers.path}/sessions`));
    const gone = await python("x += 1; x");
    assert.deepEqual([gone.result, gone.durable], ["4", false]);
    const exported = await server.call("export_session", { path: "exported" });
    assert.equal((exported.structured["error"] as { error_code: string }).error_code, "STORE_UNAVAILABLE");
    const fresh = await server.call("execute_code", { code: "1", session_id: "fresh" });
    assert.deepEqual((fresh.structured["error"] as { error_code: string }).error_code, "STORE_UNAVAILABLE");
    const destroyed = await server.call("destroy_session", { session_id: "default" });
    assert.equal((destroyed.structured["error"] as { error_code: string }).error_code, "STORE_UNAVAILABLE");
    assert.match(destroyed.text, /has ended, and what was not stored of it is gone/);
    assert.ok(await inside("umount", `${servers.path}/sessions`));
    // What could not be forgotten is as it was stored last.
    assert.equal((await python("x")).result, "3");
    assert.equal((await python("x += 1; x")).durable, true);
  },
});

Deno.test(`[${UNDER_TEST}] a store whose files may not grow says so, and the session goes on`, async () => {
  await using servers = await StoredServers.make();
  const { command, args } = servers.command();
  // SIGXFSZ is ignored, so that writing fails as on a full disk; the limit is in blocks of 512 or 1024 bytes. Of a
  // large change each file is a part.
  const limiting = `trap '' XFSZ; ulimit -f 120; exec "$@"`;
  const server = await servers.startAs({ command: "sh", args: ["-c", limiting, "sh", command, ...args] });
  assert.equal((await server.python("x = 1") as unknown as { durable: boolean }).durable, true);
  // In pieces: else the heap would go on holding all of it.
  const noise =
    `import os\nwith open("noise", "wb") as f:\n  for _ in range(4000): f.write(os.urandom(1000))\n`;
  const large = await server.python(noise);
  assert.equal((large as unknown as { durable: boolean }).durable, false);
  assert.match(large.notice ?? "", /the store can't be used \(/);
  assert.equal((await server.run("shell", "rm noise; echo on")).stdout, "on\n");
  const again = await server.python("x");
  assert.deepEqual([again.result, (again as unknown as { durable: boolean }).durable], ["1", true]);
});
