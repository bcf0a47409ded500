/** The files below /app of a principal's sessions as MCP resources: `workspace://{session}/{path}`. */

import {
  type ListResourcesResult,
  ProtocolError,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { toBase64 } from "../base64.ts";
import { WasmboxError } from "../errors.ts";
import { isLitter } from "../litter.ts";
import { mimeTypeOf } from "../mime.ts";
import type { Session } from "../session/session.ts";
import type { WorkspaceEntry } from "../session/session_files.ts";
import type { SessionTable } from "../session/table.ts";
import { decodeText, readPart } from "./file_reading.ts";
import { parseResourceUri, RESOURCE_TEMPLATE, resourceUri } from "./paths.ts";

const INVALID_PARAMS = -32602;

const PAGE = 200;
/** Largest file that is read as a resource; its contents are one message, in base64 if need be. */
const MAX_BYTES = 4 * 1024 * 1024;
/** How long a listing waits for a session in which code runs. */
const BUSY_WAIT_MS = 1_000;

export const RESOURCE_TEMPLATES: ResourceTemplateType[] = [{
  uriTemplate: RESOURCE_TEMPLATE,
  name: "workspace-file",
  title: "Workspace file",
  description: "A file below /app of one of your sessions.",
}];

/** Where a page of the list starts. */
const cursorSchema = z.tuple([z.string(), z.string().nullable()]);

export class Resources {
  /** @param later Called when a session that was too busy to be listed can be. */
  constructor(readonly sessions: SessionTable, readonly principal: string, readonly later: () => void) {}

  /**
   * A page of the list. A session in which code runs for long is left out.
   *
   * @throws {ProtocolError} for a cursor that is invalid, or whose session has ended.
   */
  async list(cursor: string | undefined): Promise<ListResourcesResult> {
    const all = this.sessions.list(this.principal);
    const [first, after] = cursor === undefined ? [all[0]?.id, null] : parseCursor(cursor);
    const start = all.findIndex((session) => session.id === first);
    if (start < 0 && cursor !== undefined) throw badCursor();
    const resources: Resource[] = [];
    for (const [index, session] of all.slice(Math.max(0, start)).entries()) {
      const left = PAGE - resources.length;
      if (left === 0) return { resources, nextCursor: makeCursor(session.id, null) };
      const listing = await this.#filesOf(session, index === 0 ? after : null, left);
      resources.push(...listing?.entries.flatMap((entry) => resourceOf(session, entry)) ?? []);
      if (listing?.next) return { resources, nextCursor: makeCursor(session.id, listing.next) };
    }
    return { resources };
  }

  /** @throws {ProtocolError} {@link ResourceNotFoundError}; others with the project's error as data. */
  async read(uri: string): Promise<ReadResourceResult> {
    const session = await this.session(uri);
    const path = parseResourceUri(uri)?.path;
    if (!session || path === undefined) throw new ResourceNotFoundError(uri);
    try {
      const { entry, bytes, cut } = await readPart(session.files, path, 0, MAX_BYTES);
      if (cut) throw tooLarge(path, entry);
      return { contents: [{ uri, mimeType: mimeTypeOf(path), ...contentsOf(path, bytes) }] };
    } catch (error) {
      throw protocolErrorOf(error, uri);
    }
  }

  /** The session that a resource is of; undefined if there is none. */
  async session(uri: string): Promise<Session | undefined> {
    const sessionId = parseResourceUri(uri)?.sessionId;
    return sessionId === undefined ? undefined : await this.sessions.find(this.principal, sessionId);
  }

  /** @returns undefined for a session that has ended, or is too busy. */
  async #filesOf(session: Session, after: string | null, limit: number) {
    const listing = session.files.list(".", { recursive: true, limit, after: after ?? undefined })
      .catch((error: unknown) => {
        if (error instanceof WasmboxError) return undefined;
        throw error;
      });
    const busy = Promise.withResolvers<"busy">();
    const timer = setTimeout(() => busy.resolve("busy"), BUSY_WAIT_MS);
    const first = await Promise.race([listing, busy.promise]);
    clearTimeout(timer);
    if (first !== "busy") return first;
    listing.then(this.later, () => {});
    return undefined;
  }
}

function resourceOf(session: Session, { path, type, size, modified }: WorkspaceEntry): Resource[] {
  const uri = resourceUri(session.id, path);
  if (type !== "file" || uri === undefined || isLitter(path)) return [];
  const annotations = { lastModified: new Date(modified).toISOString() };
  return [{ uri, name: path, mimeType: mimeTypeOf(path), size, annotations }];
}

/** Text where the bytes are text, whatever the name says. */
function contentsOf(path: string, bytes: Uint8Array): { text: string } | { blob: string } {
  try {
    return { text: decodeText(path, bytes) };
  } catch (error) {
    if (!(error instanceof WasmboxError)) throw error;
    return { blob: toBase64(bytes) };
  }
}

function tooLarge(path: string, { size }: WorkspaceEntry): WasmboxError {
  const message = `"${path.slice(0, 200)}" has ${size} bytes; ${MAX_BYTES} can be read as a resource.`;
  return new WasmboxError("FILE_TOO_LARGE", message, {
    suggestions: ["Read it in parts with read_file, or download it over HTTP from /files/{session}/{path}."],
    context: { size, max_bytes: MAX_BYTES },
  });
}

/** What is no file is no resource. */
function protocolErrorOf(error: unknown, uri: string): unknown {
  if (!(error instanceof WasmboxError)) return error;
  const missing = ["FILE_NOT_FOUND", "SESSION_NOT_FOUND", "NOT_A_FILE", "NOT_A_DIRECTORY", "INVALID_PATH"];
  if (missing.includes(error.info.error_code)) return new ResourceNotFoundError(uri);
  return new ProtocolError(INVALID_PARAMS, error.message, error.info);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function makeCursor(sessionId: string, after: string | null): string {
  return toBase64(encoder.encode(JSON.stringify([sessionId, after])));
}

function parseCursor(cursor: string): [string, string | null] {
  try {
    const bytes = Uint8Array.from(atob(cursor), (char) => char.charCodeAt(0));
    return cursorSchema.parse(JSON.parse(decoder.decode(bytes)));
  } catch {
    throw badCursor();
  }
}

function badCursor(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, "The cursor is not valid, or not any more: list from the start");
}
