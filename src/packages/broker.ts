/**
 * The host operation `packages`: a guest's only access to an index.
 *
 * A guest names projects and the hashes of files, never URLs. Only this side knows where they are, with which credentials to
 * fetch them, and which of them the operator permits. A file is available once the page of its project was requested.
 */

import * as z from "zod";
import { toBase64 } from "../base64.ts";
import type { HostCallContext, HostOperation } from "../session/host_operations.ts";
import type { PermittedListing } from "./index.ts";
import { isNormalized, NAME_MAX } from "./names.ts";
import type { PipSource } from "./pip_source.ts";
import { Refusal } from "./refusal.ts";
import type { Uses } from "./use.ts";

/** How many bytes of a file one answer contains. */
const PIECE_BYTES = 2 * 1024 * 1024;

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
  /** In the format of PEP 691, with URLs relative to the page's. */
  | { readonly page: object; readonly leftOut: PermittedListing["leftOut"] }
  /** Base64. */
  | { readonly size: number; readonly body: string }
  | { readonly refused: { readonly reason: string; readonly message: string } };

export interface BrokerOptions {
  /** Opens the source when it is first needed, and again if that failed. @throws {Refusal} */
  readonly source: () => Promise<PipSource>;
  readonly uses: Uses;
  readonly timeoutMs: number;
}

class Broker implements HostOperation<Request> {
  readonly name = "packages";
  readonly request = request as z.ZodType<Request>;
  readonly maxRequestBytes = 1000;
  readonly maxReplyBytes = 14 * 1024 * 1024;
  readonly maxConcurrent = 4;
  readonly timeoutMs: number;

  constructor(readonly options: BrokerOptions) {
    this.timeoutMs = options.timeoutMs;
  }

  async handle(request: Request, context: HostCallContext): Promise<Answer> {
    try {
      this.options.uses.asks(context);
      const source = await this.options.source();
      return request.kind === "project"
        ? await this.#project(source, request.name)
        : await this.#file(source, request, context);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { refused: { reason: error.reason, message: error.message } };
    }
  }

  async #project({ index }: PipSource, name: string): Promise<Answer> {
    const { files, leftOut } = await index.project(name);
    const reachable = files.filter(({ url }) => index.downloader.reaches(url));
    if (reachable.length === 0 && files[0]) {
      const { host } = new URL(files[0].url);
      const message =
        `the files of "${name}" are on ${host}, which is neither the index's own host nor in packages.file_hosts`;
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
    return { page, leftOut };
  }

  async #file(
    { index }: PipSource,
    { sha256, offset }: Request & { kind: "file" },
    context: HostCallContext,
  ): Promise<Answer> {
    this.options.uses.checkBytes(context);
    const bytes = await index.file(sha256);
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    this.options.uses.given(context, piece.length);
    return { size: bytes.length, body: toBase64(piece) };
  }
}

export function createBroker(options: BrokerOptions): HostOperation {
  return new Broker(options) as unknown as HostOperation;
}
