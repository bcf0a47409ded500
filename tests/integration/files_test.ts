/** The file tools, through stdio. */

import assert from "node:assert/strict";
import { inFull } from "../../src/mcp/left_out.ts";
import { childrenOf, TestServer, UNDER_TEST } from "../support/harness.ts";

const FIXTURE = new URL("./fixtures/server.ts", import.meta.url);

type Call = Awaited<ReturnType<TestServer["call"]>>;

function errorOf({ structured, isError }: Call): string {
  assert.equal(isError, true, JSON.stringify(structured));
  return (structured["error"] as { error_code: string }).error_code;
}

function succeeded({ structured, isError }: Call): Record<string, unknown> {
  assert.equal(isError, false, JSON.stringify(structured));
  return structured;
}

Deno.test(`[${UNDER_TEST}] files`, async (t) => {
  await using server = await TestServer.start();
  const write = (path: string, content: string, more = {}) =>
    server.call("write_file", { path, content, ...more });
  const read = (path: string, more = {}) => server.call("read_file", { path, ...more });
  const list = async (args: Record<string, unknown> = {}) => {
    const { entries } = succeeded(await server.call("list_files", args));
    return (entries as { path: string }[]).map((entry) => entry.path);
  };

  await t.step("can be written before the first code, which then finds them", async () => {
    const written = succeeded(await write("data/naïve.csv", "a,b\n1,2\n"));
    assert.deepEqual(
      [written["path"], written["size"], written["created"], written["mime_type"]],
      ["data/naïve.csv", 8, true, "text/csv"],
    );
    assert.equal(written["uri"], "workspace://default/data/na%C3%AFve.csv");
    assert.equal((await server.python("open('data/naïve.csv').read()")).result, "'a,b\\n1,2\\n'");
  });

  await t.step("of JSON can be given as the value that they are to hold, and no other file", async () => {
    const given = { path: "data/settings.json", content: { list: [1, { a: "é" }] } };
    succeeded(await server.call("write_file", given));
    assert.equal(
      (await server.python("import json; json.load(open('data/settings.json'))")).result,
      "{'list': [1, {'a': 'é'}]}",
    );
    const other = await server.call("write_file", { path: "data/settings.txt", content: [1, 2] });
    assert.deepEqual([errorOf(other), /of JSON alone/.test(other.text)], ["INVALID_ARGUMENTS", true]);
  });

  await t.step("are read as text, in ranges of lines, or on from where a reply was cut", async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1} é`);
    await write("long.txt", lines.join("\n"));
    const some = succeeded(await read("long.txt", { start_line: 4000, end_line: 4001 }));
    assert.equal(some["content"], "line 4000 é\nline 4001 é\n");
    assert.equal(some["truncated"], false);
    let whole = "";
    for (let offset: number | null = 0; offset !== null;) {
      const part = succeeded(await read("long.txt", { offset, max_bytes: 20_001 }));
      whole += part["content"];
      offset = part["next_offset"] as number | null;
      assert.equal(part["truncated"], offset !== null);
    }
    assert.equal(whole, lines.join("\n"));
    assert.equal(succeeded(await read("long.txt", { start_line: 6000 }))["content"], "");
  });

  await t.step("that end before the lines that are asked for are told with how many they have", async () => {
    const textOf = async (path: string, more: Record<string, unknown>) => (await read(path, more)).text;
    for (const [content, count] of [["1\n2\n3\n", "3 lines"], ["1\n2\n3", "3 lines"], ["1", "1 line"]]) {
      await write("lines.txt", content!);
      for (const start_line of [4, 10]) {
        assert.equal(
          await textOf("lines.txt", { start_line }),
          `[there is no line ${start_line}: the file has ${count}]`,
        );
      }
    }
    await write("lines.txt", "1\n2\n3\n");
    assert.equal(
      await textOf("lines.txt", { start_line: 3, offset: 2 }),
      "[there is no line 3: 2 lines from offset 2 on]",
    );
    assert.equal(await textOf("lines.txt", { start_line: 3 }), "3\n");
    await write("lines.txt", "");
    assert.equal(await textOf("lines.txt", {}), "[empty]");
    assert.equal(await textOf("lines.txt", { start_line: 2 }), "[empty]");
  });

  await t.step("with one endless line are cut between characters", async () => {
    await write("wide.txt", "€".repeat(10));
    assert.equal(succeeded(await read("wide.txt", { max_bytes: 8 }))["content"], "€€");
  });

  await t.step("that are not text are refused as text, and read in base64", async () => {
    const bytes = btoa(String.fromCharCode(...Array.from({ length: 256 }, (_, index) => index)));
    await write("blob.bin", bytes, { encoding: "base64" });
    assert.equal(errorOf(await read("blob.bin")), "NOT_TEXT");
    assert.equal(succeeded(await read("blob.bin", { encoding: "base64" }))["content"], bytes);
    assert.equal(errorOf(await write("x", "no base64!", { encoding: "base64" })), "INVALID_ARGUMENTS");
    assert.equal(errorOf(await write("x", "\ud800")), "INVALID_ARGUMENTS");
  });

  await t.step("of a megabyte go both ways in one call", async () => {
    const text = "0123456789abcde\n".repeat(65536);
    succeeded(await write("big.txt", text));
    assert.equal(succeeded(await read("big.txt", { max_bytes: 1024 * 1024 }))["content"], text);
    assert.equal((await server.python("import os; os.path.getsize('big.txt')")).result, "1048576");
  });

  await t.step("are added to, replaced, moved and deleted", async () => {
    await write("log.txt", "one\n");
    assert.equal(succeeded(await write("log.txt", "two\n", { append: true }))["size"], 8);
    assert.equal(succeeded(await write("log.txt", "three\n"))["created"], false);
    await write("other.txt", "x");
    assert.equal(
      errorOf(await server.call("move_file", { from: "log.txt", to: "other.txt" })),
      "FILE_EXISTS",
    );
    succeeded(await server.call("move_file", { from: "log.txt", to: "other.txt", overwrite: true }));
    succeeded(await server.call("move_file", { from: "other.txt", to: "deep/er/log.txt" }));
    assert.equal(succeeded(await read("deep/er/log.txt"))["content"], "three\n");
    assert.equal(errorOf(await server.call("delete_file", { path: "deep" })), "DIRECTORY_NOT_EMPTY");
    succeeded(await server.call("delete_file", { path: "deep", recursive: true }));
    assert.equal(errorOf(await read("deep/er/log.txt")), "FILE_NOT_FOUND");
  });

  await t.step("are listed sorted, by pattern, and in pieces", async () => {
    await server.python(`
import os
os.makedirs("tree/b/c"); os.makedirs("tree/a")
for name in ["a/1.csv", "a/2.json", "b/c/3.csv", "b.csv", "z [x].txt"]:
    open("tree/" + name, "w").close()
os.symlink("tree", "loop"); os.symlink("../..", "tree/up")
`);
    assert.deepEqual(
      await list({ path: "tree" }),
      ["a", "b", "b.csv", "up", "z [x].txt"].map((n) => `tree/${n}`),
    );
    const all = ["a", "a/1.csv", "a/2.json", "b", "b/c", "b/c/3.csv", "b.csv", "up", "z [x].txt"];
    assert.deepEqual(await list({ path: "tree", recursive: true }), all.map((name) => `tree/${name}`));
    assert.deepEqual(await list({ path: "/app/tree", recursive: true, glob: "*.csv" }), [
      "tree/a/1.csv",
      "tree/b/c/3.csv",
      "tree/b.csv",
    ]);
    assert.deepEqual(await list({ path: "tree", glob: "*.csv" }), ["tree/b.csv"]);
    assert.deepEqual(await list({ path: "tree", glob: "{a,b}/**/*.{csv,json}" }), [
      "tree/a/1.csv",
      "tree/a/2.json",
      "tree/b/c/3.csv",
    ]);
    assert.deepEqual(await list({ path: "tree", glob: "z \\[[!y]].txt" }), ["tree/z [x].txt"]);
    const pieces: string[] = [];
    for (let after: string | undefined = undefined;;) {
      const piece: Record<string, unknown> = succeeded(
        await server.call("list_files", { path: "tree", recursive: true, limit: 2, ...(after && { after }) }),
      );
      pieces.push(...(piece["entries"] as { path: string }[]).map((entry) => entry.path));
      if (piece["next"] === null) break;
      after = piece["next"] as string;
    }
    assert.deepEqual(pieces, all.map((name) => `tree/${name}`));
  });

  await t.step("are listed by themselves, where it is the path of one that is given", async () => {
    const one = succeeded(await server.call("list_files", { path: "/app/tree/a/1.csv" }));
    const { modified: _, ...entry } = (one["entries"] as Record<string, unknown>[])[0]!;
    assert.deepEqual([one["next"], entry], [null, {
      path: "tree/a/1.csv",
      type: "file",
      size: 0,
      mime_type: "text/csv",
      uri: "workspace://default/tree/a/1.csv",
    }]);
    const refused = (args: Record<string, unknown>) => server.call("list_files", args).then(errorOf);
    assert.equal(await refused({ path: "tree/b.csv/x" }), "NOT_A_DIRECTORY");
    assert.equal(await refused({ path: "tree/b.csv", glob: "*" }), "NOT_A_DIRECTORY");
    assert.equal(await refused({ path: "tree/none.csv" }), "FILE_NOT_FOUND");
  });

  await t.step("are asked for by patterns that cost too much only until that is known", async () => {
    await server.python(`
for i in range(300):
    open(f"tree/{i:03}" + "a" * 240, "w").close()
`);
    const glob = `${"*a".repeat(120)}b`;
    const started = performance.now();
    await server.call("list_files", { path: "tree", glob });
    assert.ok(performance.now() - started < 5_000);
    const bombs = ["{a,b}".repeat(20), "x".repeat(513), "[a"];
    for (const bomb of bombs) {
      assert.equal(errorOf(await server.call("list_files", { glob: bomb })), "INVALID_ARGUMENTS", bomb);
    }
    assert.deepEqual(await list({ path: "tree", glob: "{}*.jpg" }), []);
  });

  await t.step("have paths that never leave the sandbox, and say what is wrong with one", async () => {
    const cases: [string, string][] = [
      ["../../etc/passwd", "INVALID_PATH"],
      ["/../x", "INVALID_PATH"],
      ["../etc/passwd", "FILE_NOT_FOUND"],
      ["a\0b", "INVALID_PATH"],
      ["x".repeat(300), "FILE_NOT_FOUND"],
      ["data", "NOT_A_FILE"],
      [".", "NOT_A_FILE"],
      ["data/naïve.csv/x", "NOT_A_DIRECTORY"],
      ["/dev/zero", "INVALID_PATH"],
      ["circle", "INVALID_PATH"],
      ["", "INVALID_ARGUMENTS"],
    ];
    await server.python("import os; os.symlink('circle', 'circle')");
    for (const [path, code] of cases) assert.equal(errorOf(await read(path)), code, path);
    assert.equal(errorOf(await write("x".repeat(300), "")), "INVALID_PATH");
    for (const path of ["/usr/lib/x", "/usr/lib/python313.zip", "/dev/null/x"]) {
      assert.ok(["PATH_NOT_WRITABLE", "NOT_A_DIRECTORY"].includes(errorOf(await write(path, "x"))), path);
    }
    for (const path of ["/app", ".", "/tmp", "/", "/usr", "/usr/lib"]) {
      const deleted = await server.call("delete_file", { path, recursive: true });
      assert.equal(errorOf(deleted), "PATH_NOT_WRITABLE", path);
    }
    assert.equal(
      (await server.python("import json, os; sorted(os.listdir('/'))")).result?.includes("app"),
      true,
    );
    assert.equal(errorOf(await server.call("move_file", { from: "tree", to: "tree/a/b" })), "INVALID_PATH");
  });

  await t.step("of a session that does not exist don't exist", async () => {
    const calls: [string, Record<string, unknown>][] = [
      ["read_file", { path: "x" }],
      ["edit_file", { path: "x", edits: [{ old_text: "x", new_text: "y" }] }],
      ["list_files", {}],
      ["delete_file", { path: "x" }],
      ["move_file", { from: "x", to: "y" }],
    ];
    for (const [tool, args] of calls) {
      assert.equal(errorOf(await server.call(tool, { ...args, session_id: "nowhere" })), "SESSION_NOT_FOUND");
    }
  });

  await t.step("that code changes are told with its reply, and linked", async () => {
    await server.python(
      "import os; os.makedirs('out'); open('out/gone.txt', 'w').write('x'); open('out/old.csv', 'w')",
    );
    const result = await server.client.callTool({
      name: "execute_code",
      arguments: {
        code: `
os.remove("out/gone.txt")
open("out/old.csv", "a").write("1,2")
open("out/plot ü.png", "wb").write(b"png")
open("out/brief", "w").close(); os.remove("out/brief")
open("/tmp/scratch", "w").close(); open("/outside", "w").close()
os.mkdir("out/__pycache__"); open("out/__pycache__/x.pyc", "w").close()
os.symlink("old.csv", "out/link")
`,
      },
    });
    const reply = inFull(result.structuredContent as Record<string, unknown>);
    assert.deepEqual(reply["files_changed"], [
      { path: "out/gone.txt", change: "deleted", size: 0, mime_type: "text/plain" },
      { path: "out/link", change: "created", size: 7, mime_type: "inode/symlink" },
      { path: "out/old.csv", change: "modified", size: 3, mime_type: "text/csv" },
      { path: "out/plot ü.png", change: "created", size: 3, mime_type: "image/png" },
    ]);
    assert.equal(reply["files_changed_truncated"], false);
    assert.deepEqual(reply["artifacts"], [
      { uri: "workspace://default/out/old.csv", mime_type: "text/csv", size: 3 },
      { uri: "workspace://default/out/plot%20%C3%BC.png", mime_type: "image/png", size: 3 },
    ]);
    assert.deepEqual(
      (result.content as { type: string; uri?: string }[]).map((block) => block.uri ?? block.type),
      ["text", "workspace://default/out/old.csv", "workspace://default/out/plot%20%C3%BC.png"],
    );
    const none = await server.call("execute_code", { code: "open('out/old.csv').read()" });
    assert.deepEqual(none.structured["files_changed"], []);
    const failing = { code: "open('lost.txt', 'w').write('x'); 1/0", on_failure: "rollback" };
    assert.deepEqual((await server.call("execute_code", failing)).structured["files_changed"], []);
    const many = "os.mkdir('many')\nfor i in range(150): open(f'many/{i}', 'w').close()";
    const flood = await server.call("execute_code", { code: many });
    assert.equal((flood.structured["files_changed"] as unknown[]).length, 100);
    assert.equal(flood.structured["files_changed_truncated"], true);
  });

  await t.step("written at the same time are each one of what was written", async () => {
    const contents = ["a", "b", "c", "d"].map((char) => char.repeat(700_000));
    await Promise.all(contents.map((content) => write("contested", content)));
    const { content, size } = succeeded(await read("contested", { max_bytes: 1024 * 1024 }));
    assert.equal(size, 700_000);
    assert.ok(contents.includes(content as string));
  });

  await t.step("wait for the code that runs, and are kept when its process is lost after them", async () => {
    const code = "import time; print('up', flush=True); time.sleep(0.3); open('late.txt', 'w').write('late')";
    const running = await server.begin("python", code);
    const late = read("late.txt");
    await running.reply;
    assert.equal(succeeded(await late)["content"], "late");
    await write("kept.txt", "kept");
    await server.call("get_workspace_info"); // waits for the checkpoint
    for (const pid of childrenOf(server.transport.pid!)) Deno.kill(pid, "SIGKILL");
    assert.equal(succeeded(await read("kept.txt"))["content"], "kept");
  });
});

Deno.test("a write that the workspace can't hold leaves everything as it was", {
  ignore: UNDER_TEST !== "source",
}, async () => {
  await using server = await TestServer.start(FIXTURE); // 1 MiB, 200 files
  const call = (name: string, args: Record<string, unknown>) => server.call(name, args);
  succeeded(await call("write_file", { path: "old.txt", content: "old" }));
  const before = succeeded(await call("get_workspace_info", {}));
  const large = "x".repeat(1_100_000);
  for (const append of [false, true]) {
    for (const path of ["old.txt", "new/dir/file.txt"]) {
      assert.equal(errorOf(await call("write_file", { path, content: large, append })), "WORKSPACE_FULL");
    }
  }
  assert.deepEqual(succeeded(await call("get_workspace_info", {})), before);
  assert.equal(succeeded(await call("read_file", { path: "old.txt" }))["content"], "old");
  assert.equal(errorOf(await call("list_files", { path: "new" })), "FILE_NOT_FOUND");

  const fits = "y".repeat(900_000);
  succeeded(await call("write_file", { path: "big", content: fits }));
  succeeded(await call("write_file", { path: "big", content: fits.replaceAll("y", "z") })); // replaced, not added
  assert.equal(errorOf(await call("write_file", { path: "other", content: fits })), "WORKSPACE_FULL");
});
