/** install_package for JavaScript against a registry on loopback: real server, real tarballs. */

import assert from "node:assert/strict";
import { inTime } from "../support/eventually.ts";
import { LocalRegistry } from "../support/packages/local_registry.ts";
import { publishAll } from "../support/packages/npm_packages.ts";
import { serverCommand, TestServer, UNDER_TEST } from "../support/harness.ts";

const registry = new LocalRegistry();
const elsewhere = new LocalRegistry();
const directory = await Deno.makeTempDir();

/** A server whose registry is {@link registry}. */
async function start(policy = ""): Promise<TestServer> {
  const path = await Deno.makeTempFile({ dir: directory, suffix: ".toml" });
  const settings = [
    "workspace_bytes = 8_000_000",
    "[packages]",
    `npm_registry = "${registry.url}"`,
    `cache_directory = "${directory}/cache"`,
    'npm_deny = ["forbidden", "partly@>=2"]',
    policy,
  ];
  await Deno.writeTextFile(path, settings.join("\n"));
  const { command, args } = serverCommand();
  const main = args.pop();
  const allowed = main === undefined ? [] : ["--allow-net", "--allow-write", main];
  return await TestServer.start({ command, args: [...args, ...allowed, "serve", "--policy", path] });
}

interface Reply {
  text: string;
  installed: string[];
  there: string[];
  code: string | undefined;
  message: string;
  suggestions: string;
}

async function install(
  server: TestServer,
  requirements: string | string[],
  more: Record<string, unknown> = {},
  options: Parameters<TestServer["call"]>[2] = {},
): Promise<Reply> {
  const wanted = typeof requirements === "string" ? { package_name: requirements } : { requirements };
  const all = { ...wanted, language: "javascript", ...more };
  const { text, structured } = await server.call("install_package", all, options);
  const shown = (list: unknown) =>
    (list as { name: string; version: string }[] ?? []).map(({ name, version }) => `${name} ${version}`)
      .sort();
  const error = structured["error"] as
    | { error_code: string; message: string; recovery_suggestions: string[] }
    | undefined;
  return {
    text,
    installed: shown(structured["installed"]),
    there: shown(structured["already_satisfied"]),
    code: error?.error_code,
    message: error?.message ?? "",
    suggestions: error?.recovery_suggestions.join(" ") ?? "",
  };
}

async function javascript(server: TestServer, code: string, session_id?: string): Promise<string> {
  const session = session_id === undefined ? {} : { session_id };
  const { structured } = await server.call("execute_code", { code, language: "javascript", ...session });
  return (structured["error"] as { message: string } | null)?.message ?? String(structured["result"]);
}

/** All files of the session that are not the system's. */
async function filesOf(server: TestServer, session_id?: string): Promise<string> {
  const session = session_id === undefined ? {} : { session_id };
  const { structured } = await server.call("execute_command", {
    command: "find /opt /app /tmp -type f 2>/dev/null | sort",
    ...session,
  });
  return String(structured["stdout"]);
}

Deno.test({
  name: `[${UNDER_TEST}] npm packages`,
  sanitizeResources: false,
  async fn(t) {
    await publishAll(registry, elsewhere);
    await using server = await start();

    await t.step("come with their dependencies, scopes and ranges, and can be imported at once", async () => {
      assert.match(
        await javascript(server, "const kept = [1]; await import('@scope/app')"),
        /Cannot find package/,
      );
      const lines: string[] = [];
      const reply = await install(server, "@scope/app", {}, { onProgress: (line) => lines.push(line) });
      assert.deepEqual(reply.installed, [
        "@scope/app 1.0.0",
        "base 1.5.0",
        "circle-a 1.0.0",
        "circle-b 1.0.0",
      ]);
      assert.match(reply.text, /wants host@>=2, which is not installed/);
      assert.match(reply.text, /native, which @scope\/app can do without, is left out/);
      assert.match(reply.text, /broken-optional, which is optional, is left out/);
      assert.ok(lines.some((line) => line.startsWith("Downloading base")), lines.join());
      assert.equal(
        await javascript(server, "import app from '@scope/app'; [...app, require('circle-a').b, kept]"),
        "[ '1.5.0', 'a', 'b of a', [ 1 ] ]",
      );
      assert.deepEqual((await install(server, "base")).there, ["base 1.5.0"]);
      assert.match(await javascript(server, "await import('base')", "other"), /Cannot find package/);
    });

    await t.step(
      "lie side by side where their versions conflict, and upgrade when they are told to",
      async () => {
        const reply = await install(server, ["newer"]);
        assert.deepEqual(reply.installed, ["newer 1.0.0", "newer/node_modules/base 2.0.0", "other 1.0.0"]);
        const shown = "[require('base'), require('newer').base, require('other')]";
        assert.equal(await javascript(server, shown), "[ '1.5.0', '2.0.0', '1.0.0' ]");
        await install(server, "base@next");
        assert.equal(await javascript(server, shown), "[ '3.0.0-rc.1', '2.0.0', '1.0.0' ]");
        assert.match(
          (await install(server, "base@^9")).message,
          /No version of base fits "\^9"; the newest is 2\.0\.0/,
        );
        await install(server, "base", { upgrade: true });
        assert.equal(await javascript(server, shown), "[ '2.0.0', '2.0.0', '1.0.0' ]");
      },
    );

    await t.step("are for the Node that is offered, where there are any", async () => {
      const reply = await install(server, ["for-node", "for-node-99"], { session_id: "engines" });
      assert.deepEqual(reply.installed, ["for-node 1.1.0", "for-node-99 1.0.0"]);
      const asked = await install(server, "for-node@2", { session_id: "engines" });
      assert.deepEqual(asked.installed, ["for-node 2.0.0"]);
      await server.call("destroy_session", { session_id: "engines" });
    });

    await t.step("are locked by npm install, and come as they are locked by npm ci", async () => {
      const shell = async (session_id: string, command: string) => {
        const { structured } = await server.call("execute_command", { command, session_id });
        return `${structured["stdout"]}${structured["stderr"]}`;
      };
      await shell("locking", "npm init -y; npm install base@1.0.0 newer && npm i -D circle-a");
      const lock = JSON.parse(await shell("locking", "cat package-lock.json"));
      const { "": root, ...packages } = lock.packages;
      assert.equal(lock.lockfileVersion, 3);
      assert.deepEqual([root.dependencies, root.devDependencies], [
        { base: "^1.0.0", newer: "^1.0.0" },
        { "circle-a": "^1.0.0" },
      ]);
      const told = Object.entries(packages as Record<string, Record<string, unknown>>).map((
        [place, { version, name = "", dev = false, integrity }],
      ) => `${place} ${version} ${name} ${dev} ${String(integrity).slice(0, 7)}`);
      assert.deepEqual(told, [
        "node_modules/base 1.0.0  false sha512-",
        "node_modules/circle-a 1.0.0  true sha512-",
        "node_modules/circle-b 1.0.0  true sha512-",
        "node_modules/newer 1.0.0  false sha512-",
        "node_modules/newer/node_modules/base 2.0.0  false sha512-",
        "node_modules/other 1.0.0 base false sha512-",
      ]);

      const project = JSON.parse(await shell("locking", "cat package.json"));
      const begin = async (session_id: string, edited: unknown) => {
        for (const [path, content] of [["package.json", project], ["package-lock.json", edited]]) {
          await server.call("write_file", { session_id, path, content: JSON.stringify(content) });
        }
      };
      await server.call("create_session", { session_id: "locked" });
      await begin("locked", lock);
      // The newest that fits is 1.5.0.
      assert.match(
        await shell("locked", "npm ci --omit=dev && npm ls -a"),
        /base@1\.0\.0\nnewer@1\.0\.0\nother/,
      );
      assert.match(await shell("locked", "npm ci; npm ls"), /circle-a@1\.0\.0/);

      await server.call("create_session", { session_id: "forged" });
      const forged = structuredClone(lock);
      forged.packages["node_modules/base"].integrity = `sha512-${"A".repeat(86)}==`;
      await begin("forged", forged);
      assert.match(await shell("forged", "npm ci"), /another hash for base@1\.0\.0.*EINTEGRITY/);
      const short = structuredClone(lock);
      delete short.packages["node_modules/circle-b"];
      await begin("forged", short);
      assert.match(await shell("forged", "npm ci"), /circle-b@1\.0\.0 would be installed, and is not in/);
      delete short.packages["node_modules/newer"];
      await begin("forged", short);
      assert.match(await shell("forged", "npm ci"), /not in sync[^]*Missing: newer@\^1\.0\.0 from lock file/);
      assert.match(await shell("forged", "rm package-lock.json; npm ci"), /there is no .*package-lock\.json/);
      assert.equal(await shell("forged", "npm ls --all"), "(empty)\n");
    });

    await t.step(
      "have their types where TypeScript's compiler is, which is the last one in JavaScript",
      async () => {
        const shell = async (command: string) => {
          const { structured } = await server.call("execute_command", { command, session_id: "typed" });
          return `${structured["stdout"]}${structured["stderr"]}`;
        };
        const types = "find /opt/node/lib/node_modules -name '*.d.ts' | sort";
        assert.equal(await shell(`npm init -y >/dev/null; npm i typed >/dev/null; ${types}`), "");
        const project = "grep -o '\"typescript.*' package.json";
        assert.equal(
          await shell(
            `npm i -D typescript >/dev/null; ${types}; ${project}; cat /node_modules/typed/index.d.ts`,
          ),
          "/opt/node/lib/node_modules/typed/index.d.ts\n/opt/node/lib/node_modules/typescript/lib.d.ts\n" +
            '"typescript": "^6.1.0"\nexport const typed: 1;',
        );
      },
    );

    await t.step("bring programs, which run where they are called, as scripts do", async () => {
      const command =
        `mkdir -p 'a b' && cd 'a b' && npm init -y >/dev/null && npm i --no-save typed >/dev/null && npx typed
      echo '{"name":"x","version":"1.0.0","scripts":{"there":"pwd; exit 3"}}' >package.json; npm run there; echo $?; npm ls`;
      const { structured } = await server.call("execute_command", { command, session_id: "there" });
      assert.equal(
        structured["stdout"],
        "/app/a b\n\n> x@1.0.0 there\n> pwd; exit 3\n\n/app/a b\n3\nx@1.0.0 /app/a b\n└── (empty)\n\n",
      );
    });

    await t.step(
      "come when a program of the session imports them, if they are well known; a package that tries one brings none",
      async () => {
        const run = async (code: string, session_id: string) => {
          const { structured } = await server.call("execute_code", {
            code,
            language: "javascript",
            session_id,
          });
          const { error, result, notice } = structured as Record<string, string | { message: string } | null>;
          return [error ? (error as { message: string }).message : result, notice ?? null];
        };
        assert.deepEqual(await run("import { alone } from 'ms'; alone", "imports"), [
          "true",
          "Installed for the program's imports: ms 1.0.0, base 1.5.0.",
        ]);
        assert.deepEqual(await run("require('lodash')", "imports"), [
          "'5.0.0'",
          "Installed for the program's imports: lodash 5.0.0.",
        ]);
        assert.deepEqual(await run("require('lodash')", "imports"), ["'5.0.0'", null]);
        const [long, told] = await run("require('uuid')", "imports");
        assert.deepEqual([long, String(told).includes("n".repeat(200))], ["'long'", true]);
        assert.match(String(await run("import 'base/x'", "imports")), /Cannot find module/);
        assert.match(String(await run("import 'circle-a'", "imports")), /install_package/);
        assert.match(String(await run("import 'zod'", "imports")), /can't be installed: .*no package "zod"/);
        assert.match(String(await run("import 'sharp'", "imports")), /can't be installed: .*jimp/);
        const { structured } = await server.call("execute_command", {
          command:
            `echo '{"dependencies":{"dayjs":"^4.0.0"}}' > package.json; echo "console.log(require('dayjs'))" > a.js; node a.js`,
          session_id: "imports",
        });
        assert.equal(structured["stdout"], "4.0.0\n");
      },
    );

    await t.step("come for npx, which runs what the shell has itself, and for yarn and pnpm", async () => {
      const { structured } = await server.call("execute_command", {
        command:
          "rm package.json; npx typed; echo 'const x: number = 7; console.log(x)' > a.ts; npx tsx a.ts; npx nosuch; echo $?\n" +
          "npm init -y >/dev/null; yarn add base >/dev/null && pnpm add -D ms >/dev/null && cat package.json | tail -n 7",
        session_id: "imports",
      });
      assert.equal(
        structured["stdout"],
        '/app\n7\nResolving ms, lodash, uuid, dayjs, nosuch\n127\n  "dependencies": {\n    "base": "^1.5.0"\n  },\n  "devDependencies": {\n    "ms": "^1.0.0"\n  }\n}\n',
      );
      assert.match(String(structured["stderr"]), /no package "nosuch"/);
    });

    await t.step(
      "that npx brings are asked for by nobody: neither a project nor the next install",
      async () => {
        const session_id = "brought";
        const { structured } = await server.call("execute_command", {
          command:
            "npm init -y >/dev/null; cp package.json before; npx typed; npx -y typed@1; cmp package.json before; ls; npm i base\n" +
            "npx -p typed typed; grep -c typed package-lock.json; npx tsc; echo $?; npm i ms; npm rm typed; npm ls -a",
          session_id,
        });
        assert.equal(
          structured["stdout"],
          "/app\n/app\nbefore\npackage.json\nResolving base\nDownloading base 2.0.0\nadded 1, removed 0\n" +
            "/app\n0\n127\nResolving base, ms\nDownloading ms 1.0.0\nDownloading base 1.5.0\nadded 2, removed 0\n" +
            "Resolving base, ms\nadded 0, removed 1\nbase@2.0.0\nms@1.0.0\ntypescript@6.1.0\n",
        );
        assert.match(String(structured["stderr"]), /the package typescript has no program tsc/);
        await server.call("destroy_session", { session_id });
      },
    );

    await t.step("run in the version that npx is asked for, or not at all", async () => {
      const session_id = "versioned";
      const { structured } = await server.call("execute_command", {
        command: "npx versioned@1; npx versioned@2; npx versioned; npx versioned@latest\n" +
          "npm i versioned@2 >/dev/null; npx versioned@1; echo $?; npx versioned@^2",
        session_id,
      });
      assert.equal(structured["stdout"], "1.0.0\n2.0.0\n2.0.0\n2.0.0\n1\n2.0.0\n");
      assert.match(String(structured["stderr"]), /another version than versioned@1 was asked for before/);
      await server.call("destroy_session", { session_id });
    });

    await t.step("are listed, and removed with what nothing else needs", async () => {
      const { structured, text } = await server.call("list_packages", {});
      const listed = (structured["javascript"] as { name: string }[]).map(({ name }) => name);
      assert.deepEqual(listed, ["@scope/app", "base", "circle-a", "circle-b", "newer", "other"]);
      assert.match(text, /@scope\/app 1\.0\.0 \(JavaScript\)/);
      const shell = await server.call("execute_command", {
        command: "npm uninstall newer && npm ls && node -p 'require(\"base\")'",
      });
      assert.match(shell.text, /@scope\/app@1\.0\.0\nbase@2\.0\.0\ncircle-a/);
      assert.doesNotMatch(shell.text, /newer@|other@/);
      const needed = await server.call("execute_command", { command: "npm rm circle-a; npm i forbidden" });
      assert.match(needed.text, /another package needs it[^]*forbidden/);
    });

    await t.step(
      "with a script for their installation come without what it would do, which is said",
      async () => {
        const reply = await install(server, ["native", "runner"], { session_id: "scripts" });
        assert.deepEqual(reply.installed, ["native 1.0.0", "runner 1.0.0", "watcher 1.0.0"]);
        assert.match(reply.text, /native 1\.0\.0 has a script for its installation, which does not run here/);
        assert.match(reply.text, /watcher 1\.0\.0 is without its native code \(binding\.gyp\)/);
        assert.equal(await javascript(server, "require('runner').ran", "scripts"), "true");
        assert.match(await javascript(server, "require('runner').watch()", "scripts"), /watcher\.node/);
        await server.call("destroy_session", { session_id: "scripts" });
      },
    );

    await t.step(
      "that test runners need for finding modules, and are native, have a main module of ours",
      async () => {
        const session_id = "finding";
        const reply = await install(server, "finder", { session_id });
        assert.deepEqual(reply.installed, ["finder 1.0.0", "unrs-resolver 1.9.0"]);
        assert.doesNotMatch(reply.text, /script|left out/);
        await server.call("execute_command", {
          command:
            "mkdir -p lib/deep && touch lib/a.ts lib/a.json lib/deep/index.tsx lib/b.js && ln -s b.js lib/c.js",
          session_id,
        });
        const found = await javascript(
          server,
          `const { ResolverFactory } = require("finder");
         const finder = new ResolverFactory({ extensions: [".ts", ".tsx", ".js", ".json"], modules: ["node_modules", "/app/lib"] });
         const seen = ["./a", "./deep", "./b.js", "./c", "finder", "b", "./none", "none"].map((name) => {
           const { path, error } = finder.sync("/app/lib", name);
           return path ? path.replace(/^.*\\/(lib|node_modules)\\//, "") : error;
         });
         seen.push(finder.cloneWithOptions({ symlinks: false }).sync("/app/lib", "./c").path, (await finder.async("/app", "./lib/a")).path);
         seen.join()`,
          session_id,
        );
        assert.equal(
          found.slice(1, -1),
          "a.ts,deep/index.tsx,b.js,b.js,finder/index.js,b.js,Cannot find module './none' from '/app/lib'," +
            "Cannot find module 'none' from '/app/lib',/app/lib/c.js,/app/lib/a.ts",
        );
        await server.call("destroy_session", { session_id });
      },
    );

    await t.step(
      "that can't run here, are not what they claim or may not be had leave nothing behind",
      async () => {
        const before = await filesOf(server);
        for (
          const [name, code, message] of [
            ["variants", "PACKAGE_NOT_PURE", /runs a program when it is installed/],
            ["bcrypt", "PACKAGE_NOT_PURE", /bcrypt 1\.0\.0 has native code/],
            ["gyp", "PACKAGE_NOT_PURE", /native code \(binding\.gyp\)/],
            ["needs-native", "PACKAGE_NOT_PURE", /mac 1\.0\.0 is for certain systems only/],
            ["false", "PACKAGE_CORRUPT", /its hash differs/],
            ["weak", "PACKAGE_NOT_FOUND", /without a hash that counts/],
            ["away", "PACKAGE_INDEX_UNREACHABLE", /neither the registry's own host/],
            ["moved", "PACKAGE_INDEX_UNREACHABLE", /neither its own host/],
            ["slip-0", "PACKAGE_CORRUPT", /'\.\.'/],
            ["slip-2", "PACKAGE_CORRUPT", /'\.\.'/],
            ["bomb", "WORKSPACE_FULL", /no room/],
            ["forbidden", "PACKAGE_DENIED", /may not be installed/],
            ["partly@2", "PACKAGE_DENIED", /may be installed/],
            ["git", "PACKAGE_NOT_FOUND", /neither a range of versions nor a tag/],
            ["absent", "PACKAGE_NOT_FOUND", /no package "absent"/],
            ["nonsense", "PACKAGE_INDEX_UNREACHABLE", /does not describe a package/],
            ["../../etc", "PACKAGE_NOT_FOUND", /not the name of a package/],
            ["__proto__", "PACKAGE_NOT_FOUND", /not the name of a package/],
          ] as const
        ) {
          const reply = await install(server, ["circle-a", name]);
          assert.equal(reply.code, code, `${name}: ${reply.message}`);
          assert.match(reply.message, message);
          assert.match(reply.message, /Nothing was changed/);
        }
        assert.match((await install(server, "bcrypt")).suggestions, /bcryptjs/);
        assert.deepEqual((await install(server, "partly")).code, undefined);
        await server.call("execute_command", { command: "npm rm partly" });
        assert.equal(await filesOf(server), before);
      },
    );

    await t.step("whose tarballs lead out of their directory stay in it", async () => {
      await install(server, ["slip-1", "links"], { session_id: "slips" });
      const found = await filesOf(server, "slips");
      assert.doesNotMatch(found, /^\/app\//m);
      assert.match(found, /links\/out\/owned\.js/);
    });

    await t.step("are found again after a guest has spoiled what is recorded of them", async () => {
      const session_id = "spoiled";
      await install(server, "circle-a", { session_id });
      for (
        const record of [
          "[",
          "[".repeat(50_000),
          '{"packages": {"node_modules/x\\n": {"version": "1"}, "../y": {"version": 1}}}',
        ]
      ) {
        const path = "/opt/node/lib/node_modules/.package-lock.json";
        await server.call("write_file", { path, content: record, session_id });
        const { structured } = await server.call("list_packages", { session_id });
        assert.deepEqual(structured["javascript"], []);
        assert.deepEqual((await install(server, "circle-b", { session_id })).code, undefined);
      }
      assert.equal(await javascript(server, "require('circle-b').b", session_id), "'b of a'");
    });

    await t.step("that are cancelled leave the session as it was", async () => {
      const before = await filesOf(server);
      const asked = Promise.withResolvers<void>();
      const { promise, resolve } = Promise.withResolvers<Response>();
      registry.special.set("/npm/waits", () => (asked.resolve(), promise));
      const pending = server.call("install_package", { package_name: "hangs", language: "javascript" });
      await inTime("the registry is asked", asked.promise);
      await server.call("cancel_execution", {});
      const { isError, structured } = await pending;
      resolve(new Response("{}", { status: 404 }));
      assert.ok(isError);
      assert.equal((structured["error"] as { error_code: string }).error_code, "EXECUTION_CANCELLED");
      assert.equal(await filesOf(server), before);
      assert.equal(await javascript(server, "[kept, require('base')]"), "[ [ 1 ], '2.0.0' ]");
    });

    await t.step("that were downloaded once need no registry", async () => {
      await registry[Symbol.asyncDispose]();
      await using other = await start();
      assert.deepEqual((await install(other, "circle-a")).installed, ["circle-a 1.0.0", "circle-b 1.0.0"]);
      const reply = await install(other, "never-seen");
      assert.equal(reply.code, "PACKAGE_INDEX_UNREACHABLE");
    });

    assert.deepEqual(elsewhere.requests, []);
    await elsewhere[Symbol.asyncDispose]();
    await Deno.remove(directory, { recursive: true });
  },
});
