/** An npm registry on loopback, with whatever a bad one may do. */

import { toBase64 } from "../../../src/base64.ts";
import { concatBytes } from "../../../src/bytes.ts";
import { endOfTar, tarBlocks, type TarEntry } from "../../../src/archive/tar_format.ts";

export interface Publication {
  readonly name: string;
  readonly version: string;
  /** Contents by path in the package. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Fields of its package.json, which the registry repeats. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  /** What the registry says instead of the truth. */
  readonly integrity?: string;
  readonly tarball?: string;
  /** Entries of the tarball with names that nobody has tidied up. */
  readonly raw?: readonly Pick<TarEntry, "name" | "type" | "target" | "bytes">[];
}

interface Packument {
  name: string;
  "dist-tags": Record<string, string>;
  versions: Record<string, unknown>;
}

export class LocalRegistry implements AsyncDisposable {
  readonly #packages = new Map<string, Packument>();
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  /** Paths that were asked for, in order. */
  readonly requests: string[] = [];
  /** Answers for paths that are not those of packages and tarballs. */
  readonly special = new Map<string, (request: Request) => Response | Promise<Response>>();

  constructor() {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => this.#answer(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/npm/`;
  }

  async publish(
    { name, version, files = {}, fields = {}, tags = ["latest"], ...more }: Publication,
  ): Promise<void> {
    const json = JSON.stringify({ name, version, ...fields });
    const entries = Object.entries({ "package.json": json, ...files }).map(([path, contents]) => ({
      name: `package/${path}`,
      type: "file" as const,
      target: "",
      bytes: typeof contents === "string" ? new TextEncoder().encode(contents) : contents,
    }));
    const tarball = await gzip([...entries, ...more.raw ?? []]);
    const file = `${name.replace("/", "-")}-${version}.tgz`;
    this.#files.set(file, tarball);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", tarball));
    const packument = this.#packages.get(name) ?? { name, "dist-tags": {}, versions: {} };
    packument.versions[version] = {
      name,
      version,
      ...fields,
      dist: {
        tarball: more.tarball ?? new URL(`/files/${file}`, this.url).href,
        integrity: more.integrity ?? `sha512-${toBase64(digest)}`,
      },
    };
    for (const tag of tags) packument["dist-tags"][tag] = version;
    this.#packages.set(name, packument);
  }

  #answer(request: Request): Response | Promise<Response> {
    const pathname = decodeURIComponent(new URL(request.url).pathname);
    this.requests.push(pathname);
    const special = this.special.get(pathname);
    if (special) return special(request);
    if (pathname.startsWith("/files/")) {
      const file = this.#files.get(pathname.slice("/files/".length));
      return file ? new Response(file) : new Response(null, { status: 404 });
    }
    const packument = this.#packages.get(pathname.slice("/npm/".length));
    if (!pathname.startsWith("/npm/") || !packument) return new Response("{}", { status: 404 });
    return Response.json(packument, { headers: { "content-type": "application/vnd.npm.install-v1+json" } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

async function gzip(entries: readonly Pick<TarEntry, "name" | "type" | "target" | "bytes">[]) {
  const blocks = entries.flatMap((entry) => [...tarBlocks({ ...entry, mode: 0o644, mtime: 0 })]);
  const tar = concatBytes([...blocks, endOfTar()]);
  const packed = new Blob([tar]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}
