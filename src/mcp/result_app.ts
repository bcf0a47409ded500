/**
 * The view of results for clients that render MCP Apps (the extension `io.modelcontextprotocol/ui`): a document that shows
 * what a reply has, tables, pictures, HTML and files. Who does not negotiate it reads nothing of it.
 */

import {
  EXTENSION_ID,
  getUiCapability,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from "@modelcontextprotocol/ext-apps/server";
import type { ClientCapabilities, ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import { textAsset } from "../program/compressed_assets.ts";

const URI = "ui://wasmbox/result.html";

/** Of the server. */
export const UI_EXTENSION = { [EXTENSION_ID]: {} };

/** Of tools whose replies it shows; the second one is how older clients look for it. */
export const RESULT_APP_META = { ui: { resourceUri: URI }, [RESOURCE_URI_META_KEY]: URI };

export const RESULT_APP: Resource = {
  uri: URI,
  name: "result",
  title: "Result of a run",
  mimeType: RESOURCE_MIME_TYPE,
};

export function rendersApps(capabilities: ClientCapabilities | undefined): boolean {
  return getUiCapability(capabilities)?.mimeTypes?.includes(RESOURCE_MIME_TYPE) === true;
}

/** The document: whole in itself, and without any network. @returns undefined if that is not its name. */
export async function readResultApp(uri: string): Promise<ReadResourceResult | undefined> {
  if (uri !== URI) return undefined;
  const _meta = { ui: { csp: {}, prefersBorder: false } };
  return { contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: await textAsset("result.html"), _meta }] };
}
