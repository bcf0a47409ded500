/** Markdown as pages of a small site: the same frame around each, and links between them that lead to pages. */

import MarkdownIt from "markdown-it";

/** A page of the site. */
export interface Page {
  /** Of its file, without an extension. */
  readonly name: string;
  readonly title: string;
  readonly markdown: string;
}

export interface Chapter {
  readonly title: string;
  readonly pages: readonly Page[];
}

const markdown = new MarkdownIt({ html: false, linkify: false });
const heading = markdown.renderer.rules.heading_open ??
  ((tokens, at, options, _env, self) => self.renderToken(tokens, at, options));
markdown.renderer.rules.heading_open = (tokens, at, options, env, self) => {
  tokens[at]!.attrSet("id", anchorOf(tokens[at + 1]!.content));
  return heading(tokens, at, options, env, self);
};

/** A page as HTML. @param chapters All pages, for the list of them. */
export function htmlOf(page: Page, chapters: readonly Chapter[]): string {
  const body = linked(
    markdown.render(page.markdown),
    new Set(chapters.flatMap(({ pages }) => pages.map(({ name }) => name))),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(page.title)} – wasmbox</title>
<link rel="stylesheet" href="site.css">
</head>
<body>
<nav aria-label="Pages">
<a class="home" href="index.html">wasmbox</a>
${chapters.map((chapter) => chapterOf(chapter, page)).join("\n")}
</nav>
<main>
${body}</main>
</body>
</html>
`;
}

function chapterOf({ title, pages }: Chapter, current: Page): string {
  const links = pages.map((page) => {
    const here = page.name === current.name ? ' aria-current="page"' : "";
    return `<li><a href="${page.name}.html"${here}>${escape(page.title)}</a></li>`;
  });
  return `<h2>${escape(title)}</h2>\n<ul>${links.join("")}</ul>`;
}

/** Links to documents lead to their pages. @param names Of all pages. */
function linked(html: string, names: ReadonlySet<string>): string {
  const pages = html.replace(
    /(href=")(?:\.\.\/)?(?:docs\/)?([\w/-]+)\.md(#[^"]*)?"/g,
    (whole, start, path, anchor = "") => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      return names.has(name) ? `${start}${name}.html${anchor}"` : whole;
    },
  );
  // What is named as a file, without being a link.
  const named = pages.replace(
    /<code>(?:docs\/)?([A-Z_]+)\.md<\/code>/g,
    (whole, name) => names.has(name) ? `<a href="${name}.html">${whole}</a>` : whole,
  );
  return named.replaceAll('src="docs/', 'src="');
}

/** As GitHub names headings. */
function anchorOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
