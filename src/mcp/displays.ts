/** What an execution showed, as a reply has it: pictures as image blocks, texts in the text, what was saved as links. */

import * as z from "zod";
import { toBase64 } from "../base64.ts";
import type { Display, Displays } from "../session/outcome.ts";
import { resourceUri } from "./paths.ts";
import type { ContentBlock } from "./tool.ts";

const decoder = new TextDecoder();

/** Fields of an execution's reply. */
export const displaysOutput = {
  displays: z.array(z.object({
    mime_type: z.string(),
    size: z.number().int().describe("Bytes."),
    source: z.enum(["display", "result"]).describe(
      "Shown by the program, or as the value of its last expression.",
    ),
    text: z.string().nullable().optional().describe("What is text: Markdown, HTML, JSON or plain."),
    image: z.number().int().nullable().optional().describe(
      "Which of the reply's image blocks it is, from 0.",
    ),
    width: z.number().int().nullable().optional().describe("Of an image, pixels."),
    height: z.number().int().nullable().optional(),
    path: z.string().nullable().optional().describe(
      "The file it was saved as, where it could not be shown; relative to /app.",
    ),
    uri: z.string().nullable().optional().describe("That file as an MCP resource."),
    note: z.string().nullable().optional().describe("Why it is not shown as it was given, or not all of it."),
  })).describe("What the program displayed, in order."),
  displays_dropped: z.number().int().describe("Displays that there was no room for."),
};

export function displaysView({ entries, dropped }: Displays, sessionId: string) {
  let images = 0;
  const displays = entries.map((display) => {
    const { mimeType, size, source, pixels, path, note } = display;
    return {
      mime_type: mimeType,
      size,
      source,
      text: textOf(display) ?? null,
      image: isImage(display) ? images++ : null,
      width: pixels?.width ?? null,
      height: pixels?.height ?? null,
      path,
      uri: path === null ? null : resourceUri(sessionId, path) ?? null,
      note,
    };
  });
  return { displays, displays_dropped: dropped };
}

/** Images first, then links to what was saved. */
export function displayBlocks({ entries }: Displays, sessionId: string): ContentBlock[] {
  const images = entries.filter(isImage).map(({ bytes, mimeType }): ContentBlock => ({
    type: "image",
    data: toBase64(bytes),
    mimeType,
  }));
  const links = entries.flatMap(({ path, mimeType, size }): ContentBlock[] => {
    const uri = path === null ? undefined : resourceUri(sessionId, path);
    return uri === undefined ? [] : [{ type: "resource_link", uri, name: path!, mimeType, size }];
  });
  return [...images, ...links];
}

/** What of the displays a model reads. */
export function displayLines({ entries, dropped }: Displays): string[] {
  const lines = entries.map((display) => {
    const { mimeType, size, pixels, path, note } = display;
    const reason = note === null ? "" : `: ${note}`;
    if (path !== null) return `[${mimeType} of ${size} bytes saved as ${path}${reason}]`;
    if (isImage(display)) return `[${mimeType} of ${pixels?.width} × ${pixels?.height} pixels${reason}]`;
    if (mimeType === "text/html") return `[${mimeType} of ${size} bytes]`;
    return textOf(display) ?? "";
  });
  return dropped === 0
    ? lines
    : [...lines, `[${dropped} more could not be displayed: the limits are reached]`];
}

/** Whether the value of the last expression is among the lines, better than its repr would be. */
export function showsResult({ entries }: Displays): boolean {
  return entries.some((display) =>
    display.source === "result" && display.mimeType !== "text/html" && textOf(display) !== undefined
  );
}

function isImage(display: Display): display is Display & { readonly bytes: Uint8Array } {
  return display.bytes !== null && display.mimeType.startsWith("image/");
}

function textOf(display: Display): string | undefined {
  return display.bytes === null || isImage(display) ? undefined : decoder.decode(display.bytes);
}
