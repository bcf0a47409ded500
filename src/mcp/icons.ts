/** Pictures of the server and its tools: SVG within the address, so that no client has to fetch anything. */

import type { Icon } from "@modelcontextprotocol/server";

const BLUE = "#2563eb";

function icon(drawing: string): Icon {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${drawing}</svg>`;
  return { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, mimeType: "image/svg+xml", sizes: ["any"] };
}

const line = (path: string) => icon(`<path d="${path}" fill="none" stroke="${BLUE}" stroke-width="1.4"/>`);

export const SERVER_ICON = icon(
  `<path d="M8 1l6 3.5v7L8 15l-6-3.5v-7z" fill="${BLUE}"/>` +
    '<path d="M8 8l6-3.5M8 8L2 4.5M8 8v7" stroke="#fff" stroke-width="1.2"/>',
);

/** By what a tool's name says that it is about; the first that fits. */
const BY_SUBJECT: readonly (readonly [subject: RegExp, icon: Icon])[] = [
  [/execut/, icon(`<path d="M4 2l10 6-10 6z" fill="${BLUE}"/>`)],
  [/file/, line("M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3")],
  [/checkpoint|restore|fork|export|import/, line("M8 1.5a6.5 6.5 0 1 0 .01 0zM8 4.5V8l2.5 1.5")],
  [/package|runtime/, line("M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6")],
];

/**
 * Of a tool. Listed for clients alone that show what they list to people, by the extension of MCP Apps: twenty of them take
 * as much as all descriptions, and some clients show a model the whole list.
 */
export function toolIcons(name: string): Icon[] {
  return [BY_SUBJECT.find(([subject]) => subject.test(name))?.[1] ?? SERVER_ICON];
}
