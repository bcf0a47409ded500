/** Directories and files of the host in sessions, through the real server. */

import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { childrenOf, type Reply, serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";
import { type HttpClient, HttpServer } from "../support/http_harness.ts";
import { MappedHost, mayWrite, SPARSE_BYTES } from "../support/mapped_host.ts";

const ALICE = "token-of-alice-1234";
const BOB = "token-of-bob-123456";
const MIB = 1024 * 1024;

Deno.test(`[${UNDER_TEST}] volumes`, async (t) => {
  using host = new MappedHost();
  host.shell("cd ro/many && seq 10000 | xargs touch");
  host.write("mcp.toml", configurationOf(host));
  const { command, args } = serverCommand();
  await using server = await HttpServer.spawn({
    command,
    args: [...args, "serve", "--http", "--config", host.at("mcp.toml")],
  }, { WASMBOX_POLICY_INTERRUPT_GRACE_SECONDS: "30" }); // a busy machine takes a while for what is done after a stop
  await using alice = await server.connect({ token: ALICE });
  await using bob = await server.connect({ token: BOB });
  const run = async (client: HttpClient, language: string, code: string, more = {}) => {
    const { structured } = await client.call("execute_code", { code, language, session_id: "s", ...more });
    assert.ok(!JSON.stringify(structured).includes(host.directory), "a path of the host was told");
    return structured as unknown as Reply;
  };
  const python = (code: string, more = {}) => run(alice, "python", code, more);
  const javascript = (code: string) => run(alice, "javascript", code);
  const shell = (code: string) => run(alice, "shell", code);
  /** The name of the error number that a Python expression ends with. */
  const errno = async (expression: string) => {
    const code = `import os, errno
try: found = repr(${expression})
except OSError as error: found = errno.errorcode[error.errno]
print(found, end="")`;
    return (await python(code)).stdout;
  };

  await t.step("are seen by every language and by the file tools", async () => {
    const listed = (await python("import os; sorted(os.listdir('/data/ro'))")).result ?? "";
    assert.match(listed, /'fifo', 'inside', 'lines', 'loop', 'many', 'sparse', 'sub', 'up'/);
    assert.equal((await python("open('/data/ro/sub/f.txt').read()")).result, "'hello\\n'");
    assert.equal(
      (await javascript("require('fs').readFileSync('/data/ro/sub/f.txt', 'utf8')")).result,
      "'hello\\n'",
    );
    assert.equal((await shell("cd /data/ro && cat sub/f.txt && grep -c e lines")).stdout, "hello\n2\n");
    const tool = async (name: string, more: Record<string, unknown>) =>
      (await alice.call(name, { session_id: "s", ...more })).structured;
    assert.equal((await tool("read_file", { path: "/data/ro/lines" }))["content"], "one\ntwo\nthree\n");
    const { entries } = await tool("list_files", { path: "/data/ro", glob: "su?/*" });
    assert.deepEqual((entries as { path: string }[]).map(({ path }) => path), ["/data/ro/sub/f.txt"]);
    const written = await tool("write_file", { path: "/data/rw/by/tool", content: "x".repeat(300_000) });
    assert.equal(written["size"], 300_000);
    assert.equal(host.read("rw/by/tool").length, 300_000);
    const refused = await tool("write_file", { path: "/data/ro/x", content: "x" });
    assert.equal((refused["error"] as { error_code: string }).error_code, "PATH_NOT_WRITABLE");
    await tool("delete_file", { path: "/data/rw/by", recursive: true });
    assert.equal(await errno("os.listdir('/data/rw')"), "[]");
  });

  await t.step("tell where they are mapped, but not from where to whom is not at the host", async () => {
    const { structured } = await alice.call("get_volume_path");
    assert.deepEqual(
      (structured["volumes"] as { sandbox_path: string; host_path: null; writable: boolean }[]).map((
        { sandbox_path, host_path, writable },
      ) => [sandbox_path, host_path, writable]),
      [
        ["/app", null, true],
        ["/data/ro", null, false],
        ["/data/rw", null, true],
        ["/data/hers", null, false],
        [
          "/external",
          null,
          false,
        ],
      ],
    );
  });

  await t.step("that are read-only can't be changed in any way", async () => {
    const attempts = [
      "open('/data/ro/x', 'w')",
      "open('/data/ro/lines', 'a')",
      "os.truncate('/data/ro/lines', 0)",
      "os.mkdir('/data/ro/d')",
      "os.unlink('/data/ro/lines')",
      "os.rmdir('/data/ro/sub')",
      "os.rename('/data/ro/lines', '/data/ro/other')",
      "os.utime('/data/ro/lines', (1, 1))",
      "os.symlink('lines', '/data/ro/link')",
      "open('/external/external.csv', 'w')",
      "open('/data/new', 'w')",
    ];
    for (const attempt of attempts) assert.equal(await errno(attempt), "EROFS", attempt);
    assert.equal(await errno("os.link('/data/ro/lines', '/app/lines')"), "EXDEV");
    const { exit_code, stderr } = await shell("echo x > /data/ro/x");
    assert.deepEqual([exit_code, /read-only/i.test(stderr)], [1, true]);
    const direct = await javascript(
      `require('wasmbox:host').hostCall('volume.change', { volume: 'ro', names: ['x'], kind: 'mkdir' }).error`,
    );
    assert.equal(direct.result, "'EROFS'");
    assert.equal(host.read("ro/lines"), "one\ntwo\nthree\n");
  });

  await t.step("let nothing lead out of them", async () => {
    assert.equal(await errno("open('/data/ro/inside').read()"), "'hello\\n'");
    assert.equal(await errno("open('/data/ro/directory/../sub/../inside').read()"), "'hello\\n'");
    assert.equal(await errno("os.readlink('/data/ro/inside')"), "'sub/f.txt'");
    const refused: [string, string][] = [
      ["absolute", "EACCES"],
      ["up/secret", "EACCES"],
      ["up/../outside/secret", "EACCES"],
      ["loop", "ELOOP"],
      ["../outside/secret", "ENOENT"],
      ["../../../../../../etc/passwd", "ENOENT"],
      ["sub/f.txt/", "ENOTDIR"],
      ["fifo", "EACCES"],
    ];
    for (const [path, code] of refused) assert.equal(await errno(`open('/data/ro/${path}')`), code, path);
    for (const path of ["absolute", "up"]) {
      assert.equal(await errno(`os.readlink('/data/ro/${path}')`), "EACCES");
    }
    const asked = await javascript(`
      const ask = (names, volume = 'ro') => { try { return JSON.stringify(require('wasmbox:host').hostCall('volume.read', {
        volume, names, id: null, position: 0, length: 100, known: null })) } catch (error) { return 'refused' } };
      [ask(['absolute']), ask(['up', 'secret']), ask(['..', 'outside', 'secret']), ask(['../outside/secret']),
       ask(['fifo']), ask(['secret'], '../outside'), ask(['external.csv', '..'], '')].join(' ')`);
    assert.equal(
      asked.result,
      `'{"error":"ELOOP"} {"error":"ELOOP"} refused refused {"error":"EACCES"} {"error":"ENOENT"} refused'`,
    );
  });

  await t.step("are refused where a directory was swapped for a link between two calls", async () => {
    host.write("rw/secret", "harmless\n");
    Deno.mkdirSync(host.at("rw/d"));
    Deno.renameSync(host.at("rw/secret"), host.at("rw/d/secret"));
    assert.equal(await errno("(f := open('/data/rw/d/secret', 'r+b', buffering=0)).read(2)"), "b'ha'");
    Deno.renameSync(host.at("rw/d"), host.at("rw/old"));
    host.link("../outside", "rw/d");
    assert.equal(await errno("open('/data/rw/d/secret')"), "EACCES");
    assert.equal(await errno("f.write(b'x')"), "ESTALE");
    assert.equal(await errno("os.fstat(f.fileno())"), "ESTALE");
    assert.equal(await errno("open('/data/rw/d/new', 'w')"), "EACCES");
    assert.equal(host.read("outside/secret"), "the secret\n");
    assert.equal(
      await errno("[os.unlink('/data/rw/d'), os.rename('/data/rw/old', '/data/rw/d')]"),
      "[None, None]",
    );
    assert.equal(host.read("outside/secret"), "the secret\n");
    assert.equal(await errno("[os.unlink('/data/rw/d/secret'), os.rmdir('/data/rw/d')]"), "[None, None]");
  });

  await t.step("of another principal do not exist", async () => {
    assert.equal(await errno("open('/data/hers/only').read()"), "'hers\\n'");
    const { stdout } = await run(
      bob,
      "python",
      "import os; print(os.path.exists('/data/hers'), sorted(os.listdir('/data')))",
    );
    assert.equal(stdout, "False ['ro', 'rw']\n");
    const forged = await run(
      bob,
      "javascript",
      `require('wasmbox:host').hostCall('volume.look', { volume: 'hers', names: [], principal: 'alice' })`,
    );
    assert.equal(forged.status, "failed");
    const asked =
      "require('wasmbox:host').hostCall('volume.look', { volume: 'hers', names: ['only'] }).error";
    assert.equal((await run(bob, "javascript", asked)).result, "'ENOENT'");
  });

  await t.step("with single files stand in /external", async () => {
    assert.equal(
      (await python("import os; (os.listdir('/external'), open('/external/external.csv').read())")).result,
      "(['external.csv'], 'a,b\\n1,2\\n')",
    );
    assert.equal(await errno("open('/external/mcp.toml')"), "ENOENT");
  });

  await t.step(
    "with many entries are listed whole, with large files read where it is asked for",
    async () => {
      assert.equal(await errno("len(set(os.listdir('/data/ro/many')))"), "10000");
      assert.equal((await javascript("require('fs').readdirSync('/data/ro/many').length")).result, "10000");
      assert.equal((await shell("ls /data/ro/many | wc -l")).stdout.trim(), "10000");
      const reply = await python(`
f = open('/data/ro/sparse', 'rb')
f.seek(-4, 2), f.read(), f.seek(5 * 1024**3), f.read(3)`);
      assert.equal(reply.result, `(${SPARSE_BYTES - 4}, b'last', 5368709120, b'\\x00\\x00\\x00')`);
      assert.match(
        (await javascript("require('fs').readFileSync('/data/ro/sparse')")).error!.message,
        /EFBIG/,
      );
    },
  );

  await t.step("are seen as they are, though what was seen a moment ago is not asked for again", async () => {
    host.shell("mkdir -p rw/seen && cd rw/seen && echo one > f && echo two > g && ln -s g h");
    const seen = async () =>
      (await python(`import os
[(e.name, e.stat().st_size, e.is_symlink()) for e in sorted(os.scandir('/data/rw/seen'), key=lambda e: e.name)]`))
        .result;
    assert.equal(await seen(), "[('f', 4, False), ('g', 4, False), ('h', 4, True)]");
    host.shell("cd rw/seen && echo longer > g && rm f"); // before the next call, however soon it comes
    assert.equal(await seen(), "[('g', 7, False), ('h', 7, True)]");
    const own = await python(`import os, subprocess
sizes = []
def see(): sizes.append([(n, os.stat('/data/rw/seen/' + n).st_size) for n in sorted(os.listdir('/data/rw/seen'))])
see()
with open('/data/rw/seen/g', 'a') as f: f.write('!'); f.flush(); see()
os.rename('/data/rw/seen/g', '/data/rw/seen/i'); os.unlink('/data/rw/seen/h'); see()
subprocess.run('echo > /data/rw/seen/k', shell=True); see(); sizes`);
    assert.equal(
      own.result,
      "[[('g', 7), ('h', 7)], [('g', 8), ('h', 8)], [('i', 8)], [('i', 8), ('k', 1)]]",
    );
    host.write("ro/swapped", "one");
    const running = python(`import os
first = os.stat('/data/ro/swapped').st_size
open('/data/rw/seen/ready', 'w').close()
while os.path.exists('/data/rw/seen/ready'): os.stat('/data/ro/swapped')
first, open('/data/ro/swapped').read()`);
    await eventually("it looks", () => Deno.stat(host.at("rw/seen/ready")).catch(() => null));
    host.shell("echo another > new && mv new ro/swapped && rm rw/seen/ready");
    assert.equal((await running).result, "(3, 'another\\n')");
    host.shell("rm ro/swapped");
    host.shell("rm -r rw/seen");
  });

  await t.step("that are writable are written, up to their bound", async () => {
    const made = await python(`
import os, shutil
os.makedirs('/data/rw/a/b', exist_ok=True)
with open('/data/rw/a/b/f', 'w') as f: f.write('one'); f.seek(1); f.write('X')
with open('/data/rw/a/b/f', 'a') as f: f.write('!')
os.rename('/data/rw/a/b/f', '/data/rw/a/g')
os.truncate('/data/rw/a/g', 3)
os.utime('/data/rw/a/g', (5, 6))
open('/data/rw/a/g').read(), int(os.stat('/data/rw/a/g').st_mtime), os.listdir('/data/rw/a')`);
    assert.equal(made.result, "('oXe', 6, ['b', 'g'])");
    assert.equal(host.read("rw/a/g"), "oXe");
    assert.equal((await shell("mv /data/rw/a/g /app/g && cat /app/g && mv /app/g /data/rw/h")).stdout, "oXe");
    assert.equal(host.read("rw/h"), "oXe");
    assert.equal((await javascript("require('fs').appendFileSync('/data/rw/h', '?')")).status, "completed");
    assert.equal(host.read("rw/h"), "oXe?");
    assert.equal(await errno("shutil.rmtree('/data/rw/a')"), "None");
    assert.equal(await errno("os.unlink('/data/rw/h')"), "None");
    assert.equal(
      await errno("open('/data/rw/full', 'wb', buffering=0).write(bytes(3_000_000))"),
      String(3 * 256 * 1024), // what fits, in whole pieces
    );
    assert.equal(await errno("open('/data/rw/full', 'ab', buffering=0).write(bytes(300_000))"), "ENOSPC");
    assert.equal(await errno("os.truncate('/data/rw/full', 2**40)"), "ENOSPC");
    assert.ok(Deno.statSync(host.at("rw/full")).size <= MIB);
    assert.equal(
      (await run(bob, "python", "open('/data/rw/bobs', 'wb').write(bytes(500_000))")).status,
      "failed",
    );
    assert.equal(await errno("[os.unlink('/data/rw/full'), os.unlink('/data/rw/bobs')]"), "[None, None]");
    assert.equal(await errno("open('/data/rw/full', 'wb').write(bytes(900_000))"), "900000");
    assert.equal(await errno("os.unlink('/data/rw/full')"), "None");
    const flood = "[open(f'/data/rw/{n}', 'w').close() for n in range(1000)]";
    assert.equal(await errno(flood), "ENOSPC");
    assert.ok([...Deno.readDirSync(host.at("rw"))].length <= 256);
    assert.equal(
      await errno("[os.unlink('/data/rw/' + n) for n in os.listdir('/data/rw')].count(None) > 200"),
      "True",
    );
  });

  await t.step("are there when a session goes on elsewhere, with its open files", async () => {
    await python("g = open('/data/ro/lines', 'rb', buffering=0); g.read(4)");
    const [executor] = childrenOf(server.child.pid);
    const writing = python(
      "h = open('/data/rw/log', 'ab', buffering=0)\nwhile True: h.write(b'0123456789')",
      {
        timeout: 60,
      },
    );
    await eventually("the program has begun to write", () => Deno.stat(host.at("rw/log")).catch(() => null));
    for (const pid of childrenOf(server.child.pid)) Deno.kill(pid, "SIGKILL");
    assert.equal((await writing).status, "crashed");
    assert.equal((await python("g.read(4)")).result, "b'two\\n'");
    assert.ok(!childrenOf(server.child.pid).includes(executor!));
    assert.equal(Deno.statSync(host.at("rw/log")).size % 10, 0);
  });

  await t.step(
    "do not keep a program that reads from being stopped, nor one that is stopped from saving",
    async () => {
      // What is asked of the host after a stop is given up soon, and may be asked again.
      const running = python(
        `
try:
    open('/data/rw/reading', 'w').close()
    while True:
        with open('/data/ro/sparse', 'rb', buffering=0) as f: f.read(1_000_000)
finally:
    while True:
        try:
            with open('/data/rw/saved', 'w') as f: f.write('done')
            break
        except OSError: pass
`,
        { timeout: 60 },
      );
      await eventually("it reads", () => Deno.stat(host.at("rw/reading")).catch(() => null));
      await alice.call("cancel_execution", { session_id: "s" });
      const { status, state, stdout } = await running;
      assert.deepEqual([status, state, stdout], ["cancelled", "kept", ""]);
      assert.equal(host.read("rw/saved"), "done");
    },
  );
});

Deno.test(`[${UNDER_TEST}] what can't be mapped stops the start, with a line for each`, async () => {
  using host = new MappedHost();
  const { command, args } = serverCommand();
  const config = (...volumes: string[]) =>
    new Deno.Command(command, {
      args: [
        ...mayWrite(args),
        "config",
        ...volumes.flatMap((volume) => ["--volume", volume]),
        "--external-files",
        host.at("external.csv"),
        host.at("nothing"),
      ],
      clearEnv: false,
      env: { WASMBOX_CONFIG: "" },
    }).output();
  const { code, stderr } = await config(
    `${host.at("ro")}:/data/one`,
    `${host.at("ro/sub")}:/data/two:rw`,
    `${host.at("missing")}:/data/three`,
    `${host.at("ro/lines")}:/data/four`,
    "/:/data/five",
  );
  const text = new TextDecoder().decode(stderr);
  assert.equal(code, 2, text);
  for (
    const line of [
      /overlap, and sessions may write/,
      /missing is not a directory/,
      /lines is not a directory/,
      /\/ can't be mapped/,
      /nothing is not a file/,
    ]
  ) assert.match(text, line);
  const bad = await config(`${host.at("ro")}:/etc`);
  assert.match(
    new TextDecoder().decode(bad.stderr),
    /--volume\.0 = .* is invalid: must be "\/host\/directory/,
  );
});

Deno.test(`[${UNDER_TEST}] who is at the host is told what is mapped from where`, async () => {
  const directory = Deno.realPathSync(Deno.makeTempDirSync());
  Deno.writeTextFileSync(`${directory}/mcp.toml`, '[tools]\nprofile = "compat"\n');
  try {
    const { command, args } = serverCommand();
    await using server = await TestServer.start({
      command,
      args: [...args, "serve", "--config", `${directory}/mcp.toml`, "--volume", `${directory}:/data/here`],
    });
    assert.equal((await server.python("import os; os.listdir('/data')")).result, "['here']");
    const { structured, text } = await server.call("get_volume_path");
    assert.deepEqual((structured["volumes"] as unknown[])[1], {
      sandbox_path: "/data/here",
      host_path: directory,
      writable: false,
    });
    assert.match(text, /here: .*, read-only$/);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

function configurationOf(host: MappedHost): string {
  return `
external_files = ["external.csv"]
[transport_http]
port = 0
auth_tokens = { alice = "${ALICE}", bob = "${BOB}" }
[tools]
profile = "compat"
[[volumes]]
host = "${host.at("ro")}"
path = "/data/ro"
[[volumes]]
host = "${host.at("rw")}"
path = "/data/rw"
writable = true
max_bytes = ${MIB}
[[volumes]]
host = "${host.at("alice")}"
path = "/data/hers"
principals = ["alice"]
`;
}
