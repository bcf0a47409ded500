/** `/files/{session}/{path}`: files of sessions, up and down, whatever their size. */

import { PIECE_BYTES } from "../../host_calls/bounds.ts";
import { WasmboxError } from "../../errors.ts";
import { type CallObservers, type Origin, recorded } from "../../mcp/call_record.ts";
import { atStake } from "../../mcp/durability.ts";
import { decodePath, resourceUri } from "../../mcp/paths.ts";
import type { HttpOptions } from "../../config/http_options.ts";
import type { Session } from "../../session/session.ts";
import type { SessionFiles, WorkspaceEntry } from "../../session/session_files.ts";
import type { SessionTable } from "../../session/table.ts";
import { parseTraceparent } from "../../telemetry/trace.ts";
import { shuttingDown } from "./endpoint.ts";
import { type ByteRange, etagOf, fileHeaders, isKnown, rangeOf } from "./file_headers.ts";
import { Refusal } from "./refusal.ts";
import { uploadBody } from "./upload_body.ts";

export const FILES_PATH = "/files";
export const FILE_METHODS = ["GET", "HEAD", "PUT", "DELETE"];

/** How calls are named in records and metrics, beside the tools. */
const CALLS: Record<string, string> = {
  GET: "http_download",
  HEAD: "http_download",
  PUT: "http_upload",
  DELETE: "http_delete",
};

/** A file that a request is about. */
interface Target {
  readonly session: Session;
  /** Relative to /app. */
  readonly path: string;
}

export class FilesEndpoint {
  constructor(
    readonly sessions: SessionTable,
    readonly options: HttpOptions,
    readonly observers: CallObservers,
  ) {}

  /** @throws {Refusal} */
  async handle(request: Request, principal: string, origin: Origin): Promise<Response> {
    if (this.sessions.host.draining) throw shuttingDown();
    const { sessionId, path } = nameOf(request);
    const call = {
      tool: CALLS[request.method] ?? "unknown",
      args: { session_id: sessionId },
      principal,
      address: origin.address,
      parent: parseTraceparent(origin.traceparent),
    };
    try {
      const { response } = await recorded(this.observers, call, async (admitted) => {
        const session = await this.sessions.get(principal, sessionId);
        await admitted();
        const response = await this.#answer(request, { session, path });
        return { response, isError: false, structuredContent: { session_id: sessionId } };
      });
      return response;
    } catch (error) {
      throw refusalOf(error, request);
    }
  }

  async #answer(request: Request, target: Target): Promise<Response> {
    if (request.method === "PUT") return await this.#upload(request, target);
    if (request.method === "DELETE") return await remove(request, target);
    return await this.#download(request, target);
  }

  async #upload(request: Request, { session, path }: Target): Promise<Response> {
    const { headers } = request;
    for (const name of ["content-encoding", "content-range"]) {
      if (headers.has(name)) throw new Refusal(400, "INVALID_REQUEST", `${name} is not supported`);
    }
    const length = headers.get("content-length");
    const { entry, created } = await session.files.upload(
      path,
      uploadBody(request, this.options.requestTimeoutMs),
      {
        total: length === null ? undefined : Number(length),
        expect: expectationOf(headers),
      },
    );
    const body = {
      session_id: session.id,
      path,
      uri: resourceUri(session.id, path),
      size: entry.size,
      created,
      ...await stakeOf(session),
    };
    return Response.json(body, { status: created ? 201 : 200, headers: { etag: etagOf(entry) } });
  }

  async #download(request: Request, { session: { files }, path }: Target): Promise<Response> {
    const entry = await files.stat(path);
    if (entry.type !== "file") throw notAFile(path);
    const headers = fileHeaders(path, entry);
    if (isKnown(request.headers.get("if-none-match"), entry)) {
      return new Response(null, { status: 304, headers: { etag: headers["etag"]! } });
    }
    const range = request.method === "GET" ? rangeOf(request.headers, entry) : undefined;
    if (range === "none") {
      throw new Refusal(416, "INVALID_REQUEST", `The file has ${entry.size} bytes`, {
        headers: { "content-range": `bytes */${entry.size}` },
      });
    }
    const { start, end } = range ?? { start: 0, end: entry.size };
    headers["content-length"] = String(end - start);
    if (range) headers["content-range"] = `bytes ${start}-${end - 1}/${entry.size}`;
    const body = request.method === "HEAD" || start === end
      ? null
      : contents(files, path, entry, { start, end }, this.options.connectionIdleMs);
    return new Response(body, { status: range ? 206 : 200, headers });
  }
}

async function remove(request: Request, { session, path }: Target): Promise<Response> {
  if (request.headers.has("if-match")) {
    throw new Refusal(400, "INVALID_REQUEST", "if-match is not supported for DELETE");
  }
  await session.files.delete(path, new URL(request.url).searchParams.get("recursive") === "true");
  const stake = await stakeOf(session);
  return stake ? Response.json(stake) : new Response(null, { status: 204 });
}

/** What an answer says of a change that the store could not take. */
async function stakeOf(session: Session): Promise<{ durable: false; notice: string } | undefined> {
  const notice = await atStake(session);
  return notice === undefined ? undefined : { durable: false, notice };
}

/**
 * A part of a file, read as the client takes it. It ends in an error, which closes the connection, if the file changes
 * meanwhile or the client stops reading.
 */
function contents(
  files: SessionFiles,
  path: string,
  { tag }: WorkspaceEntry,
  { start, end }: ByteRange,
  idleMs: number,
): ReadableStream<Uint8Array> {
  let at = start;
  let idle: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(idle);
      const { bytes } = await files.read(path, at, Math.min(PIECE_BYTES, end - at), tag);
      controller.enqueue(bytes);
      at += bytes.length;
      if (at >= end) return controller.close();
      idle = setTimeout(() => controller.error(new Error("the client does not read")), idleMs);
      Deno.unrefTimer(idle);
    },
    cancel() {
      clearTimeout(idle);
    },
  });
}

/** @throws {Refusal} 404, 400. */
function nameOf(request: Request): { sessionId: string; path: string } {
  const [sessionId = "", ...segments] = new URL(request.url).pathname.slice(FILES_PATH.length + 1).split("/");
  if (segments.length === 0 || segments.at(-1) === "") {
    throw new Refusal(404, "NOT_FOUND", `Files are at ${FILES_PATH}/{session}/{path}`);
  }
  const path = decodePath(segments);
  if (path !== undefined) return { sessionId, path };
  throw new Refusal(400, "INVALID_PATH", "The path does not name a file below /app", {
    suggestions: ['Percent-encode the names of directories and files; "." and ".." are not allowed.'],
  });
}

/** What must be at the path before an upload (RFC 9110 section 13.1). @throws {Refusal} 400. */
function expectationOf(headers: Headers): string | false | undefined {
  const match = headers.get("if-match");
  const none = headers.get("if-none-match");
  if (match === null && none === null) return undefined;
  if (match === null && none === "*") return false;
  const tag = none === null ? /^"([^"]{1,100})"$/.exec(match!)?.[1] : undefined;
  if (tag !== undefined) return tag;
  throw new Refusal(400, "INVALID_REQUEST", 'Give if-match with one entity tag, or "if-none-match: *"');
}

function notAFile(path: string): WasmboxError {
  return new WasmboxError("NOT_A_FILE", `"${path.slice(0, 200)}" is a directory.`, {
    suggestions: ["The tool list_files shows what is in it."],
  });
}

/** An error of the operation as an answer. A body that was not read to its end can't be followed by another request. */
function refusalOf(error: unknown, { method }: Request): unknown {
  const headers = method === "PUT" ? { connection: "close" } : undefined;
  if (error instanceof Refusal) return headers ? error.withHeaders(headers) : error;
  return error instanceof WasmboxError ? Refusal.of(error, headers) : error;
}
