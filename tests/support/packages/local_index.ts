/** An index of packages on loopback: PEP 503 or PEP 691, with whatever a bad one may do. */

import type { Wheel } from "./wheel.ts";

export interface IndexedFile {
  readonly wheel: Wheel;
  /** What the page says instead of the truth. */
  readonly sha256?: string;
  /** Where the page says it lies, instead of on this server. */
  readonly url?: string;
  readonly yanked?: string;
  /** SHA-256 of its metadata, which the page says lies beside it. Of pages in JSON. */
  readonly metadata?: string;
}

export class LocalIndex implements AsyncDisposable {
  readonly #projects = new Map<string, IndexedFile[]>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  /** Paths that were asked for, in order. */
  readonly requests: string[] = [];
  /** Answers for paths that are not those of projects and wheels. */
  readonly special = new Map<string, (request: Request) => Response>();
  /** The Authorization header it wants. */
  authorization: string | undefined;
  format: "html" | "json" = "html";

  constructor() {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => this.#answer(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/simple/`;
  }

  get host(): string {
    return `127.0.0.1:${this.#server.addr.port}`;
  }

  /** @param project As the URL has it. */
  add(project: string, ...files: (Wheel | IndexedFile)[]): void {
    const entries = files.map((file) => "wheel" in file ? file : { wheel: file });
    this.#projects.set(project, [...this.#projects.get(project) ?? [], ...entries]);
  }

  #answer(request: Request): Response {
    const { pathname } = new URL(request.url);
    this.requests.push(pathname);
    if (this.authorization !== undefined && request.headers.get("authorization") !== this.authorization) {
      return new Response("who are you?", { status: 401 });
    }
    const special = this.special.get(pathname);
    if (special) return special(request);
    const [, kind, name = ""] = pathname.split("/");
    if (kind === "files") {
      const found = [...this.#projects.values()].flat().find(({ wheel }) => wheel.filename === name);
      return found ? new Response(found.wheel.bytes) : new Response(null, { status: 404 });
    }
    const files = this.#projects.get(name);
    if (kind !== "simple" || !files) return new Response(null, { status: 404 });
    return this.format === "html" ? html(files) : json(files);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function html(files: readonly IndexedFile[]): Response {
  const links = files.map(({ wheel, sha256 = wheel.sha256, url = `/files/${wheel.filename}`, yanked }) => {
    const python = wheel.requiresPython?.replaceAll(">", "&gt;").replaceAll("<", "&lt;");
    return `<a href="${url}#sha256=${sha256}"${yanked === undefined ? "" : ` data-yanked="${yanked}"`}` +
      `${python === undefined ? "" : ` data-requires-python="${python}"`}>${wheel.filename}</a>`;
  });
  return new Response(`<!DOCTYPE html><html><body>${links.join("<br>\n")}</body></html>`, {
    headers: { "content-type": "text/html", "cache-control": "max-age=600" },
  });
}

function json(files: readonly IndexedFile[]): Response {
  const listed = files.map((
    { wheel, sha256 = wheel.sha256, url = `../../files/${wheel.filename}`, yanked, metadata },
  ) => ({
    filename: wheel.filename,
    url,
    hashes: { sha256 },
    yanked: yanked ?? false,
    "requires-python": wheel.requiresPython ?? null,
    ...metadata !== undefined && { "core-metadata": { sha256: metadata } },
  }));
  return Response.json({ meta: { "api-version": "1.1" }, name: "", files: listed }, {
    headers: { "content-type": "application/vnd.pypi.simple.v1+json" },
  });
}
