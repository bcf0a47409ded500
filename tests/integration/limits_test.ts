/** Each limit of a policy, attacked through the real server: it holds while it is reached, and the reply tells. */

import assert from "node:assert/strict";
import { type Command, type Reply, serverCommand, type TestServer, UNDER_TEST } from "../support/harness.ts";
import { policyCommand, serve } from "../support/policy.ts";
import { sharedServer } from "../support/shared.ts";

const MIB = 1024 * 1024;

const smallTexts = () =>
  serve("stdout_max_bytes = 1000\nstderr_max_bytes = 500\nresult_max_bytes = 100\ncode_max_bytes = 1000");
const smallWorkspace = () => serve("workspace_bytes = 1000000\nworkspace_files = 100");
const smallMemory = () => serve(`memory_bytes = ${32 * MIB}`);

function test(name: string, body: () => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, body);
}

const outcome = (reply: Reply) => [reply.status, reply.state];
/** Characters of an output without the line that says what is left out. */
const kept = (text: string) => text.replace(/\n\[… \d+ bytes left out …\]\n/, "").length;
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

test("of stdout and stderr what their bounds allow is kept, each on its own", async () => {
  const server = await sharedServer(smallTexts);
  const write = (stdout: number, stderr: number) => ({
    python: `import sys\nn = sys.stdout.write('o' * ${stdout}); n = sys.stderr.write('e' * ${stderr}); None`,
    javascript: `console.log('o'.repeat(${stdout - 1})); console.error('e'.repeat(${stderr - 1}))`,
  });
  for (const language of ["python", "javascript"] as const) {
    const full = await server.run(language, write(1000, 500)[language]);
    assert.deepEqual([full.stdout.length, full.stderr.length], [1000, 500]);
    assert.deepEqual(full.truncated, { stdout: false, stderr: false });
    const over = await server.run(language, write(1001, 500)[language]);
    assert.deepEqual([kept(over.stdout), kept(over.stderr)], [1000, 500]);
    assert.match(over.stdout, /^o+\n\[… 1 bytes left out …\]\no+\n?$/);
    assert.deepEqual(over.truncated, { stdout: true, stderr: false });
    assert.equal(over.status, "completed");
    const flood = await server.run(language, write(3_000_000, 2_000_000)[language]);
    assert.match(flood.stdout, /^o{500}\n\[… 2999000 bytes left out …\]\no{499}[o\n]$/);
    assert.match(flood.stderr, /^e{250}\n\[… 1999500 bytes left out …\]\ne{249}[e\n]$/);
    assert.deepEqual(flood.truncated, { stdout: true, stderr: true });
  }
  const bit = await server.python("import os\nfor _ in range(5000): os.write(1, b'x')");
  assert.deepEqual([kept(bit.stdout), bit.truncated.stdout], [1000, true]);
  const half = await server.python("import os\nn = os.write(1, b'x' * 999 + 'é'.encode())");
  assert.equal(half.truncated.stdout, true);
  assert.ok(half.stdout.endsWith(`\n${"x".repeat(498)}é`), half.stdout);
});

test("a result is cut at its bound in bytes, and code beyond its own is refused", async () => {
  const server = await sharedServer(smallTexts);
  for (const language of ["python", "javascript"] as const) {
    for (const code of ["'x'.repeat(1000)", "'é'.repeat(1000)", "'😀'.repeat(1000)"]) {
      const program = language === "python" ? code.replace(".repeat(1000)", " * 1000") : code;
      const { result } = await server.run(language, program);
      assert.ok(result!.endsWith("…"), result!);
      assert.ok(bytesOf(result!) <= 100 && bytesOf(result!) > 90, `${bytesOf(result!)}`);
    }
  }
  assert.equal((await server.python(`1 #${"x".repeat(997)}`)).result, "1");
  for (const code of [`1 #${"x".repeat(998)}`, `1 #${"é".repeat(499)}`]) {
    assert.equal((await server.python(code)).error?.error_code, "CODE_TOO_LARGE");
  }
});

test("a workspace never holds more bytes than it may, however they are written", async () => {
  const server = await sharedServer(smallWorkspace);
  const attacks = {
    "one large file": "open('f', 'wb').write(bytes(2_000_000))",
    "many appends": "while True:\n  with open('f', 'ab') as f: f.write(bytes(1000))",
    "many files": "for i in range(90): open(f'f{i}', 'wb').write(bytes(50_000))",
    "a hole in a file, filled from behind":
      "f = open('f', 'wb')\nfor i in range(200, 0, -1): f.seek(i * 10_000); f.write(bytes(10_000)); f.flush()",
    "files that are unlinked and still open":
      "import os\nheld = []\nwhile True:\n  held.append(open('f', 'wb', 0)); held[-1].write(bytes(10_000)); os.unlink('f')",
    "copies":
      "import shutil\nopen('a', 'wb').write(bytes(400_000))\nfor i in range(9): shutil.copy('a', f'a{i}')",
    "an archive that unpacks to more":
      "import zipfile\nwith zipfile.ZipFile('z', 'w', 8) as z: z.writestr('big', bytes(5_000_000))\nzipfile.ZipFile('z').extractall()",
    "a database":
      "import sqlite3\nd = sqlite3.connect('d')\nd.execute('create table t(x)')\nwhile True: d.execute('insert into t values(zeroblob(100000))'); d.commit()",
    "long symlinks":
      "import os\nfor i in range(90): os.symlink('x' * 4000, f'l{i}')\nopen('f', 'wb').write(bytes(1_000_000))",
    "/tmp": "open('/tmp/f', 'wb').write(bytes(2_000_000))",
  };
  for (const [name, code] of Object.entries(attacks)) {
    const reply = await server.python(code);
    assert.deepEqual(outcome(reply), ["failed", "kept"], `${name}: ${JSON.stringify(reply)}`);
    const { structured } = await server.call("get_workspace_info");
    assert.ok((structured["bytes_used"] as number) <= 1_000_000, `${name}: ${structured["bytes_used"]}`);
    await server.call("reset_workspace");
  }
  const { error } = await server.javascript(
    "const fs = require('fs'); for (;;) fs.appendFileSync('f', 'x'.repeat(10000))",
  );
  assert.match(error?.message ?? "", /ENOSPC|space/);
  const again = await server.python("import os; os.unlink('f'); open('g', 'wb').write(bytes(900_000))");
  assert.equal(again.result, "900000", JSON.stringify(again.error));
});

test("a workspace never holds more files, directories and links than it may", async () => {
  const server = await sharedServer(smallWorkspace);
  const attacks = {
    files: "for i in range(1000): open(f'f{i}', 'w').close()",
    directories: "import os\nos.makedirs('/'.join('d' * 200))",
    symlinks: "import os\nfor i in range(1000): os.symlink('x', f'l{i}')",
    "files in /tmp":
      "import tempfile\nheld = [tempfile.NamedTemporaryFile(delete=False) for i in range(1000)]",
    "unlinked files still open":
      "import os\nheld = []\nwhile True: held.append(open('f', 'wb')); os.unlink('f')",
  };
  for (const [name, code] of Object.entries(attacks)) {
    const reply = await server.python(code);
    assert.deepEqual(outcome(reply), ["failed", "kept"], `${name}: ${JSON.stringify(reply)}`);
    const { structured } = await server.call("get_workspace_info");
    assert.ok((structured["files_used"] as number) <= 100, `${name}: ${structured["files_used"]}`);
    await server.call("reset_workspace");
  }
});

test("Python's memory ends at its cap, and what was there before is kept", async () => {
  const server = await sharedServer(smallMemory);
  await server.python("before = list(range(1000))");
  const attacks = {
    "one object": "x = bytearray(10**8)",
    "many objects": "x = []\nwhile True: x.append(bytes(100_000))",
    "small objects": "x = []\nwhile True: x.append([])",
    "a dict that doubles": "x = {}\nfor i in range(10**8): x[i] = i",
    "a string that doubles": "x = 'x'\nwhile True: x += x",
    "a big number": "x = 1 << 10**9",
    "a database":
      "import sqlite3\nsqlite3.connect(':memory:').execute('select zeroblob(900000000)').fetchall()",
    "an unpacked bomb":
      "import zlib\nz = zlib.compress(bytes(30_000_000)); x = [zlib.decompress(z) for _ in range(9)]",
    "a loop that swallows MemoryError":
      "x = []\nfor _ in range(100):\n  try:\n    while True: x.append(bytearray(10**6))\n  except MemoryError: pass\nraise MemoryError",
  };
  for (const [name, code] of Object.entries(attacks)) {
    const reply = await server.python(code);
    assert.equal(reply.state, "kept", `${name}: ${JSON.stringify(reply)}`);
    assert.ok(["out_of_memory", "failed"].includes(reply.status), `${name}: ${reply.status}`);
    assert.match(reply.error?.message ?? "", /memory/i, name);
    assert.ok(reply.memory_bytes > 0 && reply.memory_bytes <= 32 * MIB, `${name}: ${reply.memory_bytes}`);
    const after = await server.python("x = None; sum(before)");
    assert.deepEqual([after.result, ...outcome(after)], ["499500", "completed", "kept"], name);
  }
  const filled = await server.python("x = []\nwhile True: x.append(bytearray(65536))");
  assert.ok(filled.memory_bytes > 28 * MIB, `${filled.memory_bytes}`);
});

test("JavaScript's memory ends at its cap, and what was there before is kept", async () => {
  const server = await sharedServer(smallMemory);
  await server.javascript("var before = 'here', x");
  const attacks = {
    "one buffer": "x = new ArrayBuffer(1e8)",
    "many buffers": "x = []; for (;;) x.push(new Uint8Array(1e6))",
    "buffers that grow": "x = new ArrayBuffer(8, { maxByteLength: 1e9 }); x.resize(9e8)",
    "shared buffers": "x = []; for (;;) x.push(new SharedArrayBuffer(1e6))",
    "small objects": "x = []; for (;;) x.push({})",
    "a string that doubles": "x = 'x'; for (;;) x += x + x.toUpperCase()",
    "closures": "x = null; for (;;) { const y = x; x = () => y; }",
    "a big number": "x = 2n; for (;;) x *= x",
    "a map": "x = new Map(); for (let i = 0;; i++) x.set(i, i)",
    "text for the console": "x = 'x'.repeat(4e7); console.log(x + x)",
    "a file too large for it":
      "const fs = require('fs'); x = []; fs.writeFileSync('f', 'x'.repeat(1e7)); for (;;) x.push(fs.readFileSync('f'))",
    "a loop that swallows its errors":
      "x = []; for (let i = 0; i < 100; i++) try { for (;;) x.push(new Uint8Array(1e6)) } catch {}; for (;;) x.push([1])",
  };
  for (const [name, code] of Object.entries(attacks)) {
    const reply = await server.javascript(code);
    assert.ok(
      ["out_of_memory", "failed"].includes(reply.status) || name === "text for the console",
      `${name}: ${JSON.stringify(reply)}`,
    );
    assert.equal(reply.state, "kept", `${name}: ${JSON.stringify(reply)}`);
    assert.ok(reply.memory_bytes > 0 && reply.memory_bytes <= 32 * MIB, `${name}: ${reply.memory_bytes}`);
    const after = await server.javascript("x = undefined; before");
    assert.deepEqual([after.result, ...outcome(after)], ["'here'", "completed", "kept"], name);
  }
});

test("both languages work with the least and with the most memory that a policy can give", async () => {
  await using most = await serve(`memory_bytes = ${4096 * MIB}`);
  for (const [which, server] of Object.entries({ least: await sharedServer(smallMemory), most })) {
    for (const language of ["python", "javascript"] as const) {
      const reply = await server.run(language, "1 + 1");
      assert.deepEqual(
        [...outcome(reply), reply.result],
        ["completed", "kept", "2"],
        `${language}, ${which}`,
      );
    }
  }
});

interface FuelView {
  budget: number | null;
  utilization_percent: number;
  status: string;
  advice: string;
  session_budget: number | null;
  session_consumed: number;
}
const fuelOf = (reply: Reply) => (reply as unknown as { fuel: FuelView }).fuel;

test("fuel is told, asked for and used up; the variables are kept", async () => {
  await using server = await serve("fuel_budget = 50_000_000");
  const first = await server.python("x = 1");
  assert.deepEqual([fuelOf(first).budget, fuelOf(first).status], [50_000_000, "efficient"]);
  const loop = await server.python("for _ in range(10**9): pass", { fuel_budget: 1_000_000 });
  assert.deepEqual(outcome(loop), ["out_of_fuel", "kept"]);
  assert.equal(loop.isError, true);
  assert.equal(loop.error?.error_code, "OUT_OF_FUEL");
  assert.deepEqual([fuelOf(loop).budget, fuelOf(loop).status], [1_000_000, "exhausted"]);
  assert.ok(loop.fuel_consumed > 1_000_000 && loop.fuel_consumed < 12_000_000, `${loop.fuel_consumed}`);
  assert.equal((await server.python("x")).result, "1");

  const used = (await server.python("for _ in range(10**6): pass")).fuel_consumed;
  for (
    const [share, status] of [[0.4, "efficient"], [0.6, "moderate"], [0.8, "warning"], [
      0.95,
      "critical",
    ]] as const
  ) {
    const reply = await server.python("for _ in range(10**6): pass", {
      fuel_budget: Math.round(used / share),
    });
    assert.deepEqual([reply.status, fuelOf(reply).status], ["completed", status], `${share}`);
    assert.ok(Math.abs(fuelOf(reply).utilization_percent - share * 100) < 2, `${share}`);
    assert.ok(fuelOf(reply).advice.length > 0);
  }

  await server.javascript("var y = 2");
  const js = await server.javascript("for (;;);", { fuel_budget: 1_000_000 });
  assert.deepEqual(outcome(js), ["out_of_fuel", "kept"]);
  assert.equal((await server.javascript("y")).result, "2");

  const more = await server.call("execute_code", { code: "1", fuel_budget: 50_000_001 });
  assert.match(more.text, /fuel_budget is 50000001; at most 50000000 is allowed/);
});

test("a program that goes on after its fuel is used up is stopped by force", async () => {
  await using server = await serve("fuel_budget = 1_000_000");
  for (
    const code of [
      "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
      "sum(range(10**10))",
      "import re\nwhile True:\n  try: re.match('(a+)+b', 'a' * 50)\n  except BaseException: pass",
    ]
  ) {
    const reply = await server.python(code);
    assert.equal(reply.status, "out_of_fuel", JSON.stringify(reply));
    assert.notEqual(reply.state, "kept");
    assert.ok(reply.fuel_consumed < 11_200_000, `${reply.fuel_consumed}`);
    assert.equal((await server.python("1")).result, "1");
  }
});

test("a session's total fuel ends all that it does, and only that session", async () => {
  await using server = await serve("session_fuel_budget = 30_000_000");
  let spent = 0;
  let last: Reply;
  do {
    last = await server.python("for _ in range(10**6): pass");
    spent += last.fuel_consumed;
    assert.equal(fuelOf(last).session_consumed, spent);
  } while (last.status === "completed");
  assert.deepEqual(outcome(last), ["out_of_fuel", "kept"]);
  assert.ok(spent > 30_000_000 && spent < 41_000_000, `${spent}`);
  const refused = await server.javascript("1");
  assert.deepEqual([...outcome(refused), refused.fuel_consumed, refused.execution_id !== ""], [
    "out_of_fuel",
    "kept",
    0,
    true,
  ]);
  assert.equal((await server.python("1", { session_id: "other" })).result, "1");
});

test("a flavor lowers the limits of one session", async () => {
  await using server = await serve(
    `[flavors.small]\nmemory_bytes = ${
      48 * MIB
    }\nworkspace_bytes = 1000\nmax_timeout_seconds = 5\nstdout_max_bytes = 10\nfuel_budget = 5_000_000`,
  );
  await server.call("create_session", { session_id: "s", flavor: "small" });
  const info = (await server.call("get_workspace_info", { session_id: "s" })).structured;
  assert.deepEqual([info["memory_limit_bytes"], info["bytes_limit"]], [48 * MIB, 1000]);
  const inSmall = { session_id: "s" };
  const full = await server.python("x = bytearray(40_000_000)", inSmall);
  assert.equal(full.status, "out_of_memory");
  assert.match(full.error!.message, /ran out of memory: a session has \d+ MiB/);
  assert.equal(
    (await server.python("with open('f', 'wb') as f: f.write(bytes(2000))", inSmall)).status,
    "failed",
  );
  assert.equal(kept((await server.python("print('x' * 20)", inSmall)).stdout), 10);
  assert.equal((await server.python("while True: pass", inSmall)).status, "out_of_fuel");
  const slow = await server.call("execute_code", { code: "1", timeout: 6, ...inSmall });
  assert.match(slow.text, /timeout is 6 s; at most 5 s/);
  const greedy = await server.call("execute_code", { code: "1", fuel_budget: 6_000_000, ...inSmall });
  assert.match(greedy.text, /at most 5000000/);

  await server.call("create_session", { session_id: "l", flavor: "large" });
  const inLarge = { session_id: "l" };
  assert.equal((await server.python("len(bytearray(40_000_000))", inLarge)).result, "40000000");
  assert.equal((await server.call("create_session", { flavor: "huge" })).isError, true);
});

test("environment and time-outs of the policy are in force", async () => {
  await using server = await serve(`timeout_seconds = 2\nmax_timeout_seconds = 10\n[env]\nGREETING = "hé"`);
  assert.equal((await server.python("import os; os.environ['GREETING']")).result, "'hé'");
  assert.deepEqual(outcome(await server.python("while True: pass")), ["timeout", "kept"]);
  assert.equal((await server.python("import time; time.sleep(3); 1", { timeout: 10 })).result, "1");
  assert.match((await server.call("execute_code", { code: "1", timeout: 11 })).text, /at most 10 s/);
});

const DETERMINISTIC = `clock = "virtual"\nseed = 42\n`;
const PROGRAMS = {
  python: [
    "print(1)",
    "import random, time\nx = sorted(random.random() for _ in range(10_000)); time.sleep(60); (x[0], time.time())",
    "import json, re, uuid\nd = {str(uuid.uuid4()): i for i in range(500)}\nlen(re.findall('a', json.dumps(d)))",
  ],
  javascript: [
    "1",
    "const x = Array.from({ length: 10_000 }, Math.random).sort(); await new Promise((done) => setTimeout(done, 60_000)); [x[0], Date.now()]",
    "let n = 0; for (let i = 0; i < 1000; i++) n += crypto.randomUUID().split('a').length; n",
  ],
};

/** What each program gives, and its fuel, in new sessions of a server. */
async function measure(server: TestServer, round: string) {
  const measured: unknown[] = [];
  for (const language of ["python", "javascript"] as const) {
    for (const [index, code] of PROGRAMS[language].entries()) {
      const session_id = `${round}-${language}-${index}`;
      const reply = await server.run(language, code, { session_id });
      assert.equal(reply.status, "completed", JSON.stringify(reply));
      measured.push([language, index, reply.result, reply.fuel_consumed]);
      await server.call("destroy_session", { session_id });
    }
  }
  return measured;
}

test("with a virtual clock and a seed new sessions give the same results for the same fuel", async () => {
  await using server = await serve(DETERMINISTIC);
  const first = await measure(server, "first");
  assert.deepEqual(await measure(server, "second"), first);
  const warm = await server.python("1", { session_id: "w" });
  assert.ok(warm.fuel_consumed > 0);
});

if (UNDER_TEST === "executable") {
  test("it gives the same results for the same fuel as from source, on another Deno", async () => {
    await using compiled = await serve(DETERMINISTIC);
    await using source = await serve(DETERMINISTIC, serverCommand(new URL("../../main.ts", import.meta.url)));
    assert.deepEqual(await measure(compiled, "same"), await measure(source, "same"));
  });
}

async function runToExit(command: Command, env: Record<string, string> = {}, cwd?: string) {
  const { code, stdout, stderr } = await new Deno.Command(command.command, {
    args: command.args,
    env,
    stdin: "null",
    ...(cwd !== undefined && { cwd }),
  }).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

test("a policy with mistakes stops the start with all of them on stderr", async () => {
  const { file, ...command } = await policyCommand("timeout_seconds = 0\nmax_session = 3\n");
  const expected = [
    `${file}: timeout_seconds = 0 is invalid: must be a number from 0.1 to 3600`,
    `${file}: max_session is not a known key; did you mean max_sessions?`,
  ].sort();
  try {
    const named = await runToExit(command);
    assert.deepEqual([named.code, named.stdout, named.stderr.trim().split("\n").sort()], [2, "", expected]);
    const fromEnvironment = await runToExit(serverCommand(), { WASMBOX_POLICY: file });
    assert.deepEqual([fromEnvironment.code, fromEnvironment.stderr.trim().split("\n").sort()], [2, expected]);
  } finally {
    await Deno.remove(file);
  }
  const absent = await runToExit({
    ...serverCommand(),
    args: [...serverCommand().args, "serve", "--policy", file],
  });
  assert.equal(absent.code, 2);
  assert.match(absent.stderr, /can't be read/);
});

Deno.test({
  name:
    `[${UNDER_TEST}] a policy is looked for in the user's configuration directory, and not in the working directory`,
  ignore: Deno.build.os !== "linux",
  async fn() {
    const directory = await Deno.makeTempDir({ prefix: "wasmbox-config-" });
    const place = async (path: string, key: string) => {
      await Deno.mkdir(`${directory}/${path}`, { recursive: true });
      await Deno.writeTextFile(`${directory}/${path}/policy.toml`, `${key} = 1`);
    };
    const start = async () => {
      const env = { XDG_CONFIG_HOME: `${directory}/xdg`, WASMBOX_POLICY: "" };
      return (await runToExit(serverCommand(), env, directory)).stderr;
    };
    try {
      await place("config", "of_this_directory");
      await place("xdg/wasmbox", "the_users");
      assert.match(await start(), /^\S+\/xdg\/wasmbox\/policy\.toml: the_users is not a known key\n$/);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
