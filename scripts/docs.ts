/** `deno task docs`: the documents as a small site, in `dist/docs`, with references made of the schemas. */

import { configurationReference, toolReference } from "./docs/reference.ts";
import { type Chapter, htmlOf, type Page } from "./docs/site.ts";

const ROOT = new URL("../", import.meta.url);
const DOCS = new URL("docs/", ROOT);
const OUTPUT = new URL("dist/docs/", ROOT);

/** Documents by chapters, in their order. Each has to have its place: one that is forgotten stops the build. */
const CHAPTERS: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: "Start", names: ["CLIENTS", "RECIPES", "TROUBLESHOOTING"] },
  { title: "Languages", names: ["PYTHON", "JAVASCRIPT", "SHELL", "PACKAGES"] },
  { title: "Sessions", names: ["SESSIONS", "FILES", "DISPLAY", "VOLUMES"] },
  { title: "Running it", names: ["CONFIGURATION", "OPERATIONS", "SCALING", "THREAT_MODEL", "MIGRATING"] },
  { title: "Reference", names: ["TOOLS", "KEYS", "REPLIES"] },
  { title: "Inside", names: ["ARCHITECTURE", "CONTRIBUTING"] },
];

/** All pages of the site but the first. @throws {Error} for a document that no chapter has. */
export async function chapters(): Promise<Chapter[]> {
  const made: Record<string, string> = {
    TOOLS: toolReference(),
    KEYS: await configurationReference(new URL("config/", ROOT)),
  };
  const placed = CHAPTERS.flatMap(({ names }) => names);
  for (const { name, isFile } of Deno.readDirSync(DOCS)) {
    const document = name.replace(/\.md$/, "");
    if (isFile && name.endsWith(".md") && !placed.includes(document)) {
      throw new Error(`docs/${name} has no place in a chapter of scripts/docs.ts`);
    }
  }
  return CHAPTERS.map(({ title, names }) => ({
    title,
    pages: names.map((name) =>
      pageOf(name, made[name] ?? Deno.readTextFileSync(new URL(`${name}.md`, DOCS)))
    ),
  }));
}

function pageOf(name: string, markdown: string): Page {
  return { name, markdown, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name };
}

/** Writes the site. @returns How many pages it has. */
export async function buildSite(output: URL): Promise<number> {
  const all = await chapters();
  await Deno.remove(output, { recursive: true }).catch(() => {}); // of an earlier one
  await Deno.mkdir(new URL("pictures/", output), { recursive: true });
  const readme = { ...pageOf("index", await Deno.readTextFile(new URL("README.md", ROOT))), title: "Start" };
  const pages = [readme, ...all.flatMap(({ pages }) => pages)];
  for (const page of pages) await Deno.writeTextFile(new URL(`${page.name}.html`, output), htmlOf(page, all));
  await Deno.copyFile(new URL("docs/site.css", import.meta.url), new URL("site.css", output));
  for (const { name } of Deno.readDirSync(new URL("pictures/", DOCS))) {
    await Deno.copyFile(new URL(`pictures/${name}`, DOCS), new URL(`pictures/${name}`, output));
  }
  return pages.length;
}

if (import.meta.main) {
  console.error(`docs: ${await buildSite(OUTPUT)} pages in dist/docs`);
}
