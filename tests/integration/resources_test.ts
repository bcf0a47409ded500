/** Files as MCP resources, on stdio and over HTTP in both generations of the protocol. */

import type { Client, Resource } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { TestServer, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";

const TOKENS = { alice: "alice-token-0123456789", bob: "bob-token-0123456789abc" };

/** What a client hears of resources, in order; "list" for the list. */
class Heard {
  readonly #heard: string[] = [];

  constructor(client: Client) {
    const heard = (what: string) => void this.#heard.push(what);
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => heard(params.uri));
    client.setNotificationHandler("notifications/resources/list_changed", () => heard("list"));
  }

  /** Everything until something is heard, which is the last of it. */
  async until(last: string): Promise<string[]> {
    const heard = await eventually(`"${last}" is heard`, () => this.#heard, (all) => all.includes(last));
    return heard.splice(0, heard.indexOf(last) + 1);
  }
}

async function refused(promise: Promise<unknown>): Promise<{ code: number; data: unknown }> {
  return await promise.then(() => assert.fail("it was not refused"), (error) => error);
}

Deno.test(`[${UNDER_TEST}] files as resources`, async (t) => {
  await using server = await TestServer.start();
  const { client } = server;
  const write = (path: string, content: string, more = {}) =>
    server.call("write_file", { path, content, ...more });

  await t.step("are listed, all of them, in pages", async () => {
    assert.deepEqual((await client.listResources()).resources, []);
    await server.python(`
import os
os.makedirs("many/__pycache__")
for i in range(450): open(f"many/{i:03}.txt", "w").write("x")
open("many/__pycache__/x.pyc", "w").close()
`);
    await server.call("create_session", { session_id: "other" });
    await write("ü #?.csv", "1,2", { session_id: "other" });
    const all: Resource[] = [];
    let pages = 0;
    for (let cursor: string | undefined = undefined; pages === 0 || cursor !== undefined; pages++) {
      const page: { resources: Resource[]; nextCursor?: string | undefined } = await client.request({
        method: "resources/list",
        params: cursor === undefined ? {} : { cursor },
      });
      all.push(...page.resources);
      cursor = page.nextCursor;
    }
    assert.ok(pages > 2);
    assert.equal(all.length, 451);
    assert.equal(all[0]?.uri, "workspace://default/many/000.txt");
    const { annotations, ...last } = all.at(-1)!;
    assert.match(annotations?.lastModified ?? "", /^\d{4}-/);
    const uri = "workspace://other/%C3%BC%20%23%3F.csv";
    assert.deepEqual(last, { uri, name: "ü #?.csv", mimeType: "text/csv", size: 3 });
    assert.equal(
      (await refused(client.request({ method: "resources/list", params: { cursor: "x" } }))).code,
      -32602,
    );
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), [
      "workspace://{session}/{+path}",
      "variables://{session}",
    ]);
  });

  await t.step("are read as text or bytes, and what is not there is not found", async () => {
    const uri = "workspace://other/%C3%BC%20%23%3F.csv";
    assert.deepEqual((await client.readResource({ uri })).contents, [{
      uri,
      mimeType: "text/csv",
      text: "1,2",
    }]);
    await write("blob.png", btoa("\x89PNG\0\xff"), { encoding: "base64" });
    const blob = (await client.readResource({ uri: "workspace://default/blob.png" })).contents[0];
    assert.deepEqual([blob?.mimeType, "blob" in blob! && blob.blob], ["image/png", btoa("\x89PNG\0\xff")]);
    await server.python("open('large.bin', 'wb').truncate(5_000_000)");
    const large = await refused(client.readResource({ uri: "workspace://default/large.bin" }));
    assert.equal((large.data as { error_code: string }).error_code, "FILE_TOO_LARGE");
    const missing = [
      "workspace://default/nothing",
      "workspace://nowhere/x",
      "workspace://default/many",
      "workspace://default/",
      "workspace://default/%2e%2e/etc",
      "workspace://default/../etc",
      "workspace://default//etc/x",
      "workspace://default/a%00",
      "workspace://default/%ff",
      "file:///etc/passwd",
      "nonsense",
    ];
    for (const uri of missing) {
      const { code, data } = await refused(client.readResource({ uri }));
      assert.deepEqual([code, data], [-32602, { uri }]);
    }
  });

  await t.step("are completed: sessions, directories, names", async () => {
    const complete = async (name: string, value: string, others: Record<string, string> = {}) => {
      const ref = { type: "ref/resource" as const, uri: "workspace://{session}/{+path}" };
      const params = { ref, argument: { name, value }, context: { arguments: others } };
      return (await client.complete(params)).completion;
    };
    assert.deepEqual((await complete("session", "")).values, ["default", "other"]);
    const session = "default";
    assert.deepEqual((await complete("path", "", { session })).values, ["blob.png", "large.bin", "many/"]);
    assert.deepEqual((await complete("path", "many/44", { session })).values.length, 10);
    assert.equal((await complete("path", "many/", { session })).hasMore, true);
    assert.deepEqual((await complete("path", "nowhere/[", { session })).values, []);
    assert.deepEqual((await complete("path", "x", { session: "nowhere" })).values, []);
  });

  await t.step("tell that variables may have changed", async () => {
    const heard = new Heard(client);
    const uri = "variables://default";
    await client.subscribeResource({ uri });
    await server.python("told = 1");
    assert.deepEqual(await heard.until(uri), [uri]);
    const { contents: [shown] } = await client.readResource({ uri });
    assert.match((shown as { text: string }).text, /"told"/);
    await client.unsubscribeResource({ uri });
    await server.javascript("1 + 1");
    await write("unrelated.txt", "x");
    await server.call("delete_file", { path: "unrelated.txt" });
    assert.deepEqual([await heard.until("list"), await heard.until("list")], [["list"], ["list"]]);
  });

  await t.step("tell of what changes, to those who asked for it", async () => {
    const heard = new Heard(client);
    const uri = "workspace://default/watched.txt";
    await client.subscribeResource({ uri });
    await client.subscribeResource({ uri: "workspace://default/end" });
    await client.subscribeResource({ uri: "workspace://nowhere/x" });
    await client.subscribeResource({ uri: "test://nothing" });
    await server.python("open('watched.txt', 'w').write('1')");
    await server.python("open('watched.txt', 'w').write('2')");
    await server.javascript("1 + 1");
    await write("unwatched.txt", "x");
    await write("watched.txt", "3");
    await server.call("move_file", { from: "watched.txt", to: "end" });
    assert.deepEqual(await heard.until("workspace://default/end"), [
      "list", // made
      uri,
      uri, // written again
      "list", // another file
      uri,
      "list", // moved
      uri,
      "workspace://default/end",
    ]);
    await client.unsubscribeResource({ uri });
    await write("watched.txt", "4");
    await server.call("reset_workspace");
    assert.deepEqual(await heard.until("workspace://default/end"), [
      "list",
      "list",
      "workspace://default/end",
    ]);
    await write("x", "", { session_id: "other" });
    await server.call("destroy_session", { session_id: "other" });
    assert.deepEqual([await heard.until("list"), await heard.until("list")], [["list"], ["list"]]);
  });
});

Deno.test(
  "resources over HTTP are told of to their principal alone",
  { ignore: UNDER_TEST !== "source" },
  async (t) => {
    await using server = await HttpServer.start({ auth: { tokens: TOKENS } });
    await using alice = await server.connect({ token: TOKENS.alice });
    await using bob = await server.connect({ token: TOKENS.bob });
    await alice.call("create_session", { session_id: "work" });
    await bob.call("create_session", { session_id: "work" });
    const uri = "workspace://work/a.txt";
    const write = (client: typeof alice, path: string) =>
      client.call("write_file", { path, content: "x", session_id: "work" });

    await t.step("up to 2025-11-25, by subscription", async () => {
      const [toAlice, toBob] = [new Heard(alice.client), new Heard(bob.client)];
      await alice.client.subscribeResource({ uri });
      await bob.client.subscribeResource({ uri });
      await write(alice, "a.txt");
      assert.deepEqual(await toAlice.until(uri), ["list", uri]);
      await write(bob, "b.txt");
      await write(bob, "a.txt");
      assert.deepEqual(await toBob.until(uri), ["list", "list", uri]);
      assert.deepEqual((await alice.client.listResources()).resources.map((one) => one.name), ["a.txt"]);
      assert.equal(
        (await refused(alice.client.readResource({ uri: "workspace://work/b.txt" }))).code,
        -32602,
      );
    });

    await t.step("since 2026-07-28, by listening", async () => {
      const variables = "variables://work";
      await using modern = await server.connect({ token: TOKENS.alice, stateless: true });
      await using other = await server.connect({ token: TOKENS.bob, stateless: true });
      const [toAlice, toBob] = [new Heard(modern.client), new Heard(other.client)];
      const filter = { resourcesListChanged: true, resourceSubscriptions: [uri, variables] };
      const listening = await modern.client.listen(filter);
      const listeningToo = await other.client.listen(filter);
      assert.deepEqual(listening.honoredFilter, filter);
      await write(other, "c.txt");
      await write(modern, "a.txt");
      assert.deepEqual(await toAlice.until(uri), [uri]);
      await write(other, "a.txt");
      assert.deepEqual(await toBob.until(uri), ["list", uri]);
      await modern.call("execute_code", { code: "x = 1", session_id: "work" });
      assert.deepEqual(await toAlice.until(variables), [variables]);
      assert.equal((await modern.client.readResource({ uri })).contents.length, 1);
      const { code, data } = await refused(modern.client.readResource({ uri: "workspace://work/no" }));
      assert.deepEqual([code, data], [-32602, { uri: "workspace://work/no" }]);
      await listening.close();
      await listeningToo.close();
    });
  },
);
