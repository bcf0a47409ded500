/**
 * The page for people: `GET /` for a browser, and the files below `/page`. They are the same for everyone and tell
 * nothing, so that they need no token: what the page then asks of the MCP endpoint does.
 */

import type { Context, Hono } from "hono";
import { compressedAsset, expanded, textAsset } from "../../program/compressed_assets.ts";
import type { Exchange } from "./app.ts";
import { Refusal } from "./refusal.ts";

export const PAGE_PATH = "/page";

type PageContext = Context<{ Bindings: Exchange }>;

/** Files below {@link PAGE_PATH}, each an asset of the same name that is compressed by gzip. */
const FILES: Readonly<Record<string, string>> = {
  "page.js": "text/javascript; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
};
const DISPLAY = "display.html";

const COMMON = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-dns-prefetch-control": "off",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Of the page: its own files, its own server, and no markup made of text (`trusted-types`). */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'nonce-NONCE'", // the editor makes its style itself
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "frame-src 'self'", // also where displays may take themselves
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/**
 * Of the frame in which a guest's HTML is shown: an origin that is nobody's, and no network at all. `SCRIPTS` is the one
 * script that takes the HTML in or, if a person wants it so, also those that are in the HTML.
 */
const DISPLAY_POLICY = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src SCRIPTS",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "font-src data:",
  "media-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Whether a browser asks for something to show, rather than a program for something to parse. */
export function wantsPage(accept: string | undefined): boolean {
  return accept !== undefined && /(^|[\s,])text\/html\s*(;|,|$)/i.test(accept);
}

/** The page itself. Each answer has a nonce of its own. */
export async function pageResponse(): Promise<Response> {
  const nonce = crypto.getRandomValues(new Uint8Array(18)).toBase64();
  const html = (await textAsset("page.html")).replaceAll("NONCE", nonce);
  return new Response(html, {
    headers: {
      ...COMMON,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": PAGE_POLICY.replace("NONCE", nonce),
      "cache-control": "no-store",
      "vary": "accept",
    },
  });
}

/** @param admit Lets a request in. */
export function addPage(app: Hono<{ Bindings: Exchange }>, admit: (c: PageContext) => Promise<void>): void {
  app.get(`${PAGE_PATH}/${DISPLAY}`, async (c) => {
    await admit(c);
    const html = await textAsset(DISPLAY);
    const scripts = c.req.query("scripts") === "1" ? "'unsafe-inline'" : await hashOfScript(html);
    const policy = DISPLAY_POLICY.replace("SCRIPTS", scripts);
    return c.body(html, 200, {
      ...COMMON,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cache-control": "no-cache",
    });
  });
  app.get(`${PAGE_PATH}/:name`, async (c) => {
    await admit(c);
    const name = c.req.param("name");
    const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (type === undefined) throw new Refusal(404, "NOT_FOUND", "The page has no such file");
    return await fileResponse(c, name, type);
  });
}

async function fileResponse(c: PageContext, name: string, type: string): Promise<Response> {
  const file = await compressedAsset(name);
  const etag = `"${file.digest}"`;
  const headers = { ...COMMON, etag, "cache-control": "no-cache", "vary": "accept-encoding" };
  if (c.req.header("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const packed = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  return new Response(packed ? file.bytes : expanded(file), {
    headers: { ...headers, "content-type": type, ...packed && { "content-encoding": "gzip" } },
  });
}

/** By which the policy names the script that is in the document (CSP Level 3, "hash-source"). */
async function hashOfScript(html: string): Promise<string> {
  const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? "";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script));
  return `'sha256-${new Uint8Array(digest).toBase64()}'`;
}
