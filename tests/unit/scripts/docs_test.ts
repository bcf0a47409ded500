/** The site of the documents: every page is made, and every link inside of it leads somewhere. */

import { deepEqual, match, ok } from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { buildSite, chapters } from "../../../scripts/docs.ts";
import { TOOLS } from "../../../src/mcp/tools/mod.ts";

Deno.test("every link between pages leads to a page, and to a heading that is there", async () => {
  const directory = await Deno.makeTempDir({ prefix: "wasmbox-docs-" });
  try {
    const site = pathToFileURL(`${directory}/`);
    await buildSite(site);
    const texts = new Map<string, string>();
    for (const { name } of Deno.readDirSync(site)) {
      if (name.endsWith(".html")) texts.set(name, Deno.readTextFileSync(new URL(name, site)));
    }
    const dead = [...texts].flatMap(([name, html]) =>
      [...html.matchAll(/href="([\w.-]+\.html)?(?:#([^"]+))?"/g)].flatMap(([link, page = name, anchor]) => {
        const target = texts.get(page);
        const there = target !== undefined &&
          (anchor === undefined || target.includes(`id="${decodeURIComponent(anchor)}"`));
        return there ? [] : [`${name}: ${link}`];
      })
    );
    deepEqual(dead, []);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("the references have every tool, and every key of the shipped files with what they say of it", async () => {
  const pages = (await chapters()).flatMap(({ pages }) => pages);
  const of = (name: string) => pages.find((page) => page.name === name)!.markdown;
  for (const { name } of TOOLS) ok(of("TOOLS").includes(`\n## ${name}\n`), name);
  for (const file of ["mcp.toml", "policy.toml"]) {
    const toml = Deno.readTextFileSync(new URL(`../../../config/${file}`, import.meta.url));
    for (const [, key] of toml.matchAll(/^(\w+) = /gm)) {
      match(of("KEYS"), new RegExp(`^\\| \`(?:[\\w.]+\\.)?${key}\` `, "m"));
    }
  }
  match(
    of("KEYS"),
    /`transport_http\.page` +\| `true` +\| `WASMBOX_TRANSPORT_HTTP_PAGE` \| a page for people/,
  );
});

Deno.test("where a table is measured anew, its page says where the table ends", () => {
  const directory = new URL("../../../docs/measured/", import.meta.url);
  const pages = [...Deno.readDirSync(directory)].filter(({ name }) => name.endsWith(".md"));
  const texts = pages.map(({ name }) => ({ name, text: Deno.readTextFileSync(new URL(name, directory)) }));
  const measured = texts.filter(({ text }) => text.includes("<!-- table: "));
  ok(measured.some(({ name }) => name === "FIGURES.md"));
  const endless = measured.filter(({ text }) =>
    text.lastIndexOf("<!-- end of table -->") < text.indexOf("<!-- table: ")
  );
  deepEqual(endless.map(({ name }) => name), []);
});
