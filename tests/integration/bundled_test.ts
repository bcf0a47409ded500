/** Packages that are there without being installed, through the real server: in sessions, and as list_packages shows them. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

interface Listing {
  session_id: string | null;
  installed: { name: string; version: string }[];
  installed_truncated: boolean;
  bundled: { name: string; version: string; imports: string[] }[];
  stdlib: { version: string; modules: string[] };
}

Deno.test(`[${UNDER_TEST}] bundled packages and time zones are there in every session, and again after a stop by force`, async () => {
  const server = await sharedServer();
  const program = `
import jinja2, yaml, zoneinfo
jinja2.Template("{{ x }}").render(x=yaml.safe_load("[1]")) + str(zoneinfo.ZoneInfo("Asia/Tokyo"))`;
  const sessions = await Promise.all(["a", "b"].map((session_id) => server.python(program, { session_id })));
  assert.deepEqual(sessions.map(({ result }) => result), ["'[1]Asia/Tokyo'", "'[1]Asia/Tokyo'"]);
  const stopped = await server.python("import itertools\n1 in itertools.repeat(0)", {
    session_id: "a",
    timeout: 0.2,
  });
  assert.equal(stopped.state, "rolled_back");
  const after = await server.python(
    "import tabulate\ntabulate.tabulate([[jinja2.__name__]], tablefmt='plain')",
    {
      session_id: "a",
    },
  );
  assert.equal(after.result, "'jinja2'");
});

Deno.test(`[${UNDER_TEST}] list_packages shows what is installed, bundled and standard, whatever a guest puts where packages go`, async () => {
  const server = await sharedServer();
  const list = async (args: Record<string, unknown> = {}) => {
    const { structured, text, isError } = await server.call("list_packages", args);
    assert.equal(isError, false, text);
    return { listing: structured as unknown as Listing, text };
  };
  const first = await list();
  assert.equal(first.listing.session_id, null);
  assert.deepEqual(first.listing.installed, []);
  assert.ok(first.listing.bundled.some(({ name, imports }) => name === "PyYAML" && imports.includes("yaml")));
  assert.match(first.listing.stdlib.version, /^3\.13\.\d+$/);
  assert.ok(
    first.listing.stdlib.modules.includes("sqlite3") && !first.listing.stdlib.modules.includes("tkinter"),
  );
  assert.ok(first.text.includes("Jinja2") && first.text.length < 10_000, `${first.text.length} characters`);

  const reply = await server.python(`
import os
site = "/opt/python/lib/python3.13/site-packages/"
for name in ["six-1.0.dist-info", "Foo_Bar-2!1.0+x.dist-info", "-1.dist-info", "a\\nb-1.dist-info", "x" * 150 + "-1.dist-info", "plain"]:
    os.makedirs(site + name)`);
  assert.equal(reply.status, "completed");
  const { listing } = await list();
  assert.equal(typeof listing.session_id, "string");
  assert.deepEqual(listing.installed, [{ name: "Foo_Bar", version: "2!1.0+x" }, {
    name: "six",
    version: "1.0",
  }]);
  assert.equal(listing.installed_truncated, false);

  await server.python(`for i in range(1100): os.makedirs(site + f"p{i}-1.dist-info")`);
  const many = await list();
  assert.equal(many.listing.installed_truncated, true);
  assert.ok(many.listing.installed.length <= 1000 && many.text.length < 20_000);

  await server.python("import shutil; shutil.rmtree('/opt/python'); open('/opt/python', 'w').close()");
  assert.deepEqual((await list()).listing.installed, []);

  const unknown = await server.call("list_packages", { session_id: "nobody" });
  assert.equal((unknown.structured["error"] as { error_code: string }).error_code, "SESSION_NOT_FOUND");
});
