/** What the npm registry of tests has: packages of every kind, good, odd and bad. */

import type { LocalRegistry } from "./local_registry.ts";

const esm = (code: string, fields: object = {}) => ({
  fields: { type: "module", exports: "./index.js", ...fields },
  files: { "index.js": code },
});
const cjs = (code: string, fields: object = {}) => ({
  fields: { main: "index.js", ...fields },
  files: { "index.js": code },
});

/** As long as names may be. */
const LONG_NAME = "n".repeat(214);

/** @param elsewhere Where the registry must lead nobody. */
export async function publishAll(registry: LocalRegistry, elsewhere: LocalRegistry): Promise<void> {
  const say = (version: string) => cjs(`module.exports = ${JSON.stringify(version)};`);
  for (const version of ["1.0.0", "1.5.0", "2.0.0"]) {
    await registry.publish({ name: "base", version, ...say(version) });
  }
  await registry.publish({ name: "base", version: "3.0.0-rc.1", ...say("3.0.0-rc.1"), tags: ["next"] });
  await registry.publish({
    name: "@scope/app",
    version: "1.0.0",
    ...esm("import base from 'base'; import { a } from 'circle-a'; export default [base, a];", {
      dependencies: { base: "^1.0.0", "circle-a": "*" },
      optionalDependencies: { native: "1", "broken-optional": "*" },
      peerDependencies: { host: ">=2" },
    }),
  });
  await registry.publish({
    name: "broken-optional",
    version: "1.0.0",
    integrity: `sha512-${"A".repeat(86)}==`,
  });
  await registry.publish({
    name: "circle-a",
    version: "1.0.0",
    ...cjs("exports.a = 'a'; exports.b = require('circle-b').b;", { dependencies: { "circle-b": "1" } }),
  });
  await registry.publish({
    name: "circle-b",
    version: "1.0.0",
    ...cjs("exports.b = 'b of ' + require('circle-a').a;", { dependencies: { "circle-a": "1" } }),
  });
  await registry.publish({
    name: "newer",
    version: "1.0.0",
    ...cjs("exports.base = require('base');", { dependencies: { base: "^2", other: "npm:base@1.0.0" } }),
  });
  for (
    const [version, node] of [["1.0.0", ">=12"], ["1.1.0", "^20.19 || >=22"], ["2.0.0", ">=22"]] as const
  ) {
    await registry.publish({ name: "for-node", version, fields: { engines: { node } } });
  }
  await registry.publish({ name: "for-node-99", version: "1.0.0", fields: { engines: { node: ">=99" } } });
  await registry.publish({ name: "native", version: "1.0.0", fields: { hasInstallScript: true } });
  await registry.publish({
    name: "variants",
    version: "1.0.0",
    fields: { hasInstallScript: true, optionalDependencies: { "@variants/linux-x64": "1" } },
  });
  await registry.publish({
    name: "runner",
    version: "1.0.0",
    ...cjs("exports.ran = true; exports.watch = () => require('watcher');", {
      dependencies: { watcher: "*" },
    }),
  });
  await registry.publish({
    name: "finder",
    version: "1.0.0",
    ...cjs("exports.ResolverFactory = require('unrs-resolver').ResolverFactory;", {
      dependencies: { "unrs-resolver": "^1" },
    }),
  });
  await registry.publish({
    name: "unrs-resolver",
    version: "1.9.0",
    fields: {
      hasInstallScript: true,
      dependencies: { "napi-postinstall": "^0.3" },
      optionalDependencies: { "@unrs/resolver-binding-linux-x64-gnu": "1.9.0" },
    },
    files: { "index.js": "throw new Error('needs native code');" },
  });
  await registry.publish({
    name: "watcher",
    version: "1.0.0",
    fields: { hasInstallScript: true },
    files: {
      "binding.gyp": "{}",
      "build/watcher.node": "x",
      "index.js": "module.exports = require('./build/watcher.node');",
    },
  });
  await registry.publish({
    name: "bcrypt",
    version: "1.0.0",
    fields: { scripts: { install: "node-gyp rebuild" } },
    files: { "binding.gyp": "{}" },
  });
  await registry.publish({ name: "gyp", version: "1.0.0", files: { "binding.gyp": "{}" } });
  await registry.publish({ name: "mac", version: "1.0.0", fields: { os: ["darwin"] } });
  await registry.publish({ name: "needs-native", version: "1.0.0", fields: { dependencies: { mac: "*" } } });
  await registry.publish({ name: "false", version: "1.0.0", integrity: `sha512-${"A".repeat(86)}==` });
  await registry.publish({ name: "weak", version: "1.0.0", integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" });
  await registry.publish({ name: "away", version: "1.0.0", tarball: `${elsewhere.url}away.tgz` });
  await registry.publish({
    name: "moved",
    version: "1.0.0",
    tarball: new URL("/moved.tgz", registry.url).href,
  });
  registry.special.set("/moved.tgz", () => Response.redirect(`${elsewhere.url}moved.tgz`));
  const evil = new TextEncoder().encode("owned");
  const slips = ["package/../../../../../app/owned.js", "/app/owned.js", "package/a/../../../owned.js"];
  for (const [index, name] of slips.entries()) {
    await registry.publish({
      name: `slip-${index}`,
      version: "1.0.0",
      raw: [{ name, type: "file", target: "", bytes: evil }],
    });
  }
  await registry.publish({
    name: "links",
    version: "1.0.0",
    raw: [
      { name: "package/out", type: "symlink", target: "/app", bytes: new Uint8Array(0) },
      { name: "package/out/owned.js", type: "file", target: "", bytes: evil },
    ],
  });
  await registry.publish({ name: "bomb", version: "1.0.0", files: { zeros: new Uint8Array(20_000_000) } });
  await registry.publish({ name: "forbidden", version: "1.0.0" });
  await registry.publish({
    name: "typed",
    version: "1.0.0",
    fields: { bin: "main.js" },
    files: {
      "index.js": "exports.typed = 1;",
      "index.d.ts": "export const typed: 1;",
      "main.js": "#!/usr/bin/env node\nconsole.log(process.cwd())",
    },
  });
  for (const version of ["1.0.0", "2.0.0"]) {
    const files = { "main.js": `console.log("${version}")` };
    await registry.publish({ name: "versioned", version, fields: { bin: "main.js" }, files });
  }
  for (const version of ["6.1.0", "7.0.0"]) {
    await registry.publish({ name: "typescript", version, files: { "lib.d.ts": "" } });
  }
  for (const version of ["1.0.0", "2.0.0"]) {
    await registry.publish({ name: "partly", version, ...say(version) });
  }
  await registry.publish({
    name: "git",
    version: "1.0.0",
    fields: { dependencies: { base: "git+https://a.example/b.git" } },
  });
  await registry.publish({
    name: "hangs",
    version: "1.0.0",
    fields: { dependencies: { base: "1", waits: "*" } },
  });
  for (const version of ["4.0.0", "5.0.0"]) {
    for (const name of ["lodash", "dayjs"]) await registry.publish({ name, version, ...say(version) });
  }
  await registry.publish({
    name: "ms",
    version: "1.0.0",
    ...cjs("try { require('lodash'); } catch { exports.alone = true; }", { dependencies: { base: "1" } }),
  });
  await registry.publish({ name: LONG_NAME, version: "1.0.0", ...say("long") });
  await registry.publish({
    name: "uuid",
    version: "1.0.0",
    ...cjs(`module.exports = require("${LONG_NAME}")`, { dependencies: { [LONG_NAME]: "1" } }),
  });
  registry.special.set("/npm/nonsense", () => new Response("[1"));
}
