/**
 * The host operation `npm`: a guest's only access to an npm registry. As in {@link ./broker.ts}, a guest names packages and
 * the hashes of files, never URLs.
 */

import { PIECE_BYTES } from "../../host_calls/bounds.ts";
import { type HostCallContext, type HostOperation, WithBytes } from "../../host_calls/operations.ts";
import { type NpmAnswer, npmProtocol, type NpmRequest } from "../../host_calls/npm.ts";
import type { NpmSource } from "./npm_source.ts";
import { Refusal } from "../index/refusal.ts";
import type { Uses } from "./use.ts";

export interface NpmBrokerOptions {
  /** Opens the source when it is first needed, and again if that failed. @throws {Refusal} */
  readonly source: () => Promise<NpmSource>;
  readonly uses: Uses;
  readonly timeoutMs: number;
}

class NpmBroker implements HostOperation<NpmRequest, NpmAnswer> {
  readonly protocol = npmProtocol;
  readonly timeoutMs: number;

  constructor(readonly options: NpmBrokerOptions) {
    this.timeoutMs = options.timeoutMs;
  }

  async handle(
    request: NpmRequest,
    context: HostCallContext,
  ): Promise<NpmAnswer | WithBytes<NpmAnswer>> {
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

  async #package({ registry }: NpmSource, name: string): Promise<NpmAnswer> {
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
    { integrity, offset }: NpmRequest & { kind: "file" },
    context: HostCallContext,
  ): Promise<WithBytes<NpmAnswer>> {
    this.options.uses.checkBytes(context);
    const bytes = await registry.file(integrity);
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    this.options.uses.given(context, piece.length);
    return new WithBytes({ size: bytes.length }, piece);
  }
}

export function createNpmBroker(options: NpmBrokerOptions): HostOperation {
  return new NpmBroker(options) as unknown as HostOperation;
}
