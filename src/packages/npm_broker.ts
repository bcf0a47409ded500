/**
 * The host operation `npm`: a guest's only access to an npm registry. As in {@link ./broker.ts}, a guest names packages and
 * the hashes of files, never URLs.
 */

import * as z from "zod";
import { toBase64 } from "../base64.ts";
import type { HostCallContext, HostOperation } from "../session/host_operations.ts";
import type { NpmSource } from "./npm_source.ts";
import { isNpmName, NPM_NAME_MAX, type NpmVersion } from "./packument.ts";
import { Refusal } from "./refusal.ts";
import type { Uses } from "./use.ts";

/** How many bytes of a file one answer contains. */
const PIECE_BYTES = 2 * 1024 * 1024;

const request = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("package"), name: z.string().max(NPM_NAME_MAX).refine(isNpmName) }),
  z.strictObject({
    kind: z.literal("file"),
    integrity: z.string().max(200),
    offset: z.int().nonnegative().default(0),
  }),
]);
type Request = z.infer<typeof request>;

type Answer =
  | {
    readonly tags: Readonly<Record<string, string>>;
    readonly versions: Readonly<Record<string, Omit<NpmVersion, "url">>>;
    readonly unhashed: number;
    readonly denied: number;
  }
  /** Base64. */
  | { readonly size: number; readonly body: string }
  | { readonly refused: { readonly reason: string; readonly message: string } };

export interface NpmBrokerOptions {
  /** Opens the source when it is first needed, and again if that failed. @throws {Refusal} */
  readonly source: () => Promise<NpmSource>;
  readonly uses: Uses;
  readonly timeoutMs: number;
}

class NpmBroker implements HostOperation<Request> {
  readonly name = "npm";
  readonly request = request as z.ZodType<Request>;
  readonly maxRequestBytes = 1000;
  readonly maxReplyBytes = 14 * 1024 * 1024;
  readonly maxConcurrent = 4;
  readonly timeoutMs: number;

  constructor(readonly options: NpmBrokerOptions) {
    this.timeoutMs = options.timeoutMs;
  }

  async handle(request: Request, context: HostCallContext): Promise<Answer> {
    try {
      this.options.uses.asks(context);
      const source = await this.options.source();
      return request.kind === "package"
        ? await this.#package(source, request.name)
        : await this.#file(source, request, context);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { refused: { reason: error.reason, message: error.message } };
    }
  }

  async #package({ registry }: NpmSource, name: string): Promise<Answer> {
    const { tags, versions, unhashed, denied } = await registry.package(name);
    const permitted = Object.entries(versions);
    const reachable = permitted.filter(([, { url }]) => registry.downloader.reaches(url));
    if (reachable.length === 0 && permitted[0]) {
      const { host } = new URL(permitted[0][1].url);
      const message =
        `the files of "${name}" are on ${host}, which is neither the registry's own host nor in packages.file_hosts`;
      throw new Refusal("bad_index", message);
    }
    return {
      tags,
      versions: Object.fromEntries(reachable.map(([version, { url: _, ...rest }]) => [version, rest])),
      unhashed,
      denied,
    };
  }

  async #file(
    { registry }: NpmSource,
    { integrity, offset }: Request & { kind: "file" },
    context: HostCallContext,
  ): Promise<Answer> {
    this.options.uses.checkBytes(context);
    const bytes = await registry.file(integrity);
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    this.options.uses.given(context, piece.length);
    return { size: bytes.length, body: toBase64(piece) };
  }
}

export function createNpmBroker(options: NpmBrokerOptions): HostOperation {
  return new NpmBroker(options) as unknown as HostOperation;
}
