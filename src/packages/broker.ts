/**
 * The host operation `packages`: a guest's only way to an index.
 *
 * A guest names projects and files' hashes, never a URL: where they lie, with which credentials they are fetched, and
 * which of them the operator permits, only this side knows. A file can be had once its project's page was asked for.
 */

import { z } from "zod";
import type { HostCallContext, HostOperation } from "../session/host_operations.ts";
import type { PackageIndex } from "./index.ts";
import type { Listing } from "./listing.ts";
import { isNormalized, NAME_MAX } from "./names.ts";
import { Refusal } from "./refusal.ts";
import type { Rules } from "./rules.ts";

/** Bytes of a file in one answer. */
const PIECE_BYTES = 2 * 1024 * 1024;
/** Questions that one session may ask in its life. */
const MAX_REQUESTS = 20_000;
/** Sessions that are counted; beyond, the one that asked first is forgotten. */
const MAX_SESSIONS = 10_000;

const request = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("project"), name: z.string().max(NAME_MAX).refine(isNormalized) }),
  z.strictObject({
    kind: z.literal("file"),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    offset: z.int().nonnegative().default(0),
  }),
]);
type Request = z.infer<typeof request>;

type Answer =
  /** As PEP 691 has it; the URLs are relative to the page's. */
  | { readonly page: object; readonly leftOut: Listing["leftOut"] & { readonly denied: number } }
  /** Base64. */
  | { readonly size: number; readonly body: string }
  | { readonly refused: { readonly reason: string; readonly message: string } };

export interface BrokerOptions {
  /** The index; made when it is first asked for, and again if that failed. @throws {Refusal} */
  readonly index: () => Promise<PackageIndex>;
  readonly rules: Rules;
  readonly sessionBytes: number;
  readonly timeoutMs: number;
}

interface Use {
  bytes: number;
  requests: number;
}

class Broker implements HostOperation<Request> {
  readonly name = "packages";
  readonly request = request as z.ZodType<Request>;
  readonly maxRequestBytes = 1000;
  readonly maxReplyBytes = 14 * 1024 * 1024;
  readonly maxConcurrent = 4;
  readonly timeoutMs: number;
  readonly #use = new Map<string, Use>();

  constructor(readonly options: BrokerOptions) {
    this.timeoutMs = options.timeoutMs;
  }

  async handle(request: Request, context: HostCallContext): Promise<Answer> {
    try {
      const use = this.#useOf(context);
      if (++use.requests > MAX_REQUESTS) {
        throw new Refusal(
          "quota",
          `this session has asked for packages ${MAX_REQUESTS} times, which is the limit`,
        );
      }
      const index = await this.options.index();
      return request.kind === "project"
        ? await this.#project(index, request.name)
        : await this.#file(index, request, use);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { refused: { reason: error.reason, message: error.message } };
    }
  }

  async #project(index: PackageIndex, name: string): Promise<Answer> {
    const { rules } = this.options;
    if (rules.forbids(name)) {
      throw new Refusal("denied", `"${name}" may not be installed: the operator's lists forbid it`);
    }
    const { files, leftOut } = await index.project(name);
    const permitted = files.filter(({ version }) => rules.permits(name, version));
    const reachable = permitted.filter(({ url }) => index.downloader.reaches(url));
    if (reachable.length === 0 && permitted[0]) {
      const { host } = new URL(permitted[0].url);
      const message =
        `the files of "${name}" lie on ${host}, which is neither the index's own host nor in packages.file_hosts`;
      throw new Refusal("bad_index", message);
    }
    const page = {
      meta: { "api-version": "1.0" },
      name,
      files: reachable.map((file) => ({
        filename: file.filename,
        url: `../../files/${file.sha256}/${file.filename}`,
        hashes: { sha256: file.sha256 },
        ...(file.requiresPython !== undefined && { "requires-python": file.requiresPython }),
        ...(file.yanked !== undefined && { yanked: file.yanked || true }),
        ...(file.metadata !== undefined && { "core-metadata": { sha256: file.metadata } }),
      })),
    };
    return { page, leftOut: { ...leftOut, denied: files.length - permitted.length } };
  }

  async #file(
    index: PackageIndex,
    { sha256, offset }: Request & { kind: "file" },
    use: Use,
  ): Promise<Answer> {
    const { sessionBytes } = this.options;
    if (use.bytes >= sessionBytes) {
      throw new Refusal(
        "quota",
        `this session was given ${sessionBytes} bytes of packages, which is the limit`,
      );
    }
    const bytes = await index.file(sha256);
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    use.bytes += piece.length;
    return { size: bytes.length, body: base64(piece) };
  }

  #useOf({ principal, sessionId }: HostCallContext): Use {
    const key = `${sessionId} ${principal}`; // a session's id has no spaces
    const known = this.#use.get(key);
    if (known) return known;
    const use = { bytes: 0, requests: 0 };
    this.#use.set(key, use);
    for (const oldest of this.#use.keys()) {
      if (this.#use.size <= MAX_SESSIONS) break;
      this.#use.delete(oldest);
    }
    return use;
  }
}

export function createBroker(options: BrokerOptions): HostOperation {
  return new Broker(options) as unknown as HostOperation;
}

function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x6000) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  }
  return pieces.join("");
}
