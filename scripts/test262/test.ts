/** Tests of test262: their text, and what their front matter says. */

import { join } from "node:path";

export interface Test262 {
  /** Below `test`. */
  readonly path: string;
  /** The file. */
  readonly file: string;
  /** What is to be run: the harness, if the test wants it, and the test. */
  readonly source: string;
  readonly flags: ReadonlySet<string>;
  readonly features: readonly string[];
  /** How it must fail, if it must. */
  readonly negative?: { readonly phase: string; readonly type: string };
}

/** What a host has to offer, in the language: other realms and agents there are none. */
const HOST = `var $262 = {
  global: globalThis,
  evalScript: (text) => (0, eval)(text),
  detachArrayBuffer: (buffer) => void buffer.transfer(),
  gc() { throw new Error("no gc"); },
  createRealm() { throw new Error("no other realms"); },
  agent: { start() { throw new Error("no agents"); } },
};
`;

const included = new Map<string, Promise<string>>();

export async function parseTest(checkout: string, path: string): Promise<Test262> {
  const file = join(checkout, "test", path);
  const text = await Deno.readTextFile(file);
  const [, yaml = ""] = /\/\*---([^]*?)---\*\//.exec(text) ?? [];
  const flags = new Set(listIn(yaml, "flags"));
  const negative = /^negative:\s*\n(?: {2}.*\n?)+/m.exec(yaml)?.[0];
  const phase = /phase:\s*(\w+)/.exec(negative ?? "")?.[1];
  const type = /type:\s*(\w+)/.exec(negative ?? "")?.[1];
  const names = [
    "assert.js",
    "sta.js",
    ...flags.has("async") ? ["doneprintHandle.js"] : [],
    ...listIn(yaml, "includes"),
  ];
  const harness = await Promise.all(names.map((name) => {
    const known = included.get(name) ?? Deno.readTextFile(join(checkout, "harness", name));
    included.set(name, known);
    return known;
  }));
  const strict = flags.has("onlyStrict") ? '"use strict";\n' : "";
  return {
    path,
    file,
    source: flags.has("raw") ? text : `${strict}${HOST}${harness.join("\n")}\n${text}`,
    flags,
    features: listIn(yaml, "features"),
    ...phase && type && { negative: { phase, type } },
  };
}

function listIn(yaml: string, name: string): string[] {
  const inline = new RegExp(`^${name}:\\s*\\[([^\\]]*)\\]`, "m").exec(yaml)?.[1];
  const items = inline?.split(",") ??
    new RegExp(`^${name}:\\s*\\n((?:\\s+- .*\\n?)+)`, "m").exec(yaml)?.[1]?.split("\n").map((line) =>
      line.replace(/^\s*- /, "")
    );
  return (items ?? []).map((item) => item.trim()).filter((item) => item !== "");
}
