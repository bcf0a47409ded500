/**
 * The host operation `packages`: a guest's only access to an index.
 *
 * A guest names projects and the hashes of files, never URLs. Only this side knows where they are, with which credentials to
 * fetch them, and which of them the operator permits. A file is available once the page of its project was requested.
 */

import { PIECE_BYTES } from "../../host_calls/bounds.ts";
import { type HostCallContext, type HostOperation, WithBytes } from "../../host_calls/operations.ts";
import { type PackagesAnswer, packagesProtocol, type PackagesRequest } from "../../host_calls/packages.ts";
import type { PipSource } from "./pip_source.ts";
import { Refusal } from "../index/refusal.ts";
import type { Uses } from "./use.ts";

export interface BrokerOptions {
  /** Opens the source when it is first needed, and again if that failed. @throws {Refusal} */
  readonly source: () => Promise<PipSource>;
  readonly uses: Uses;
  readonly timeoutMs: number;
}

class Broker implements HostOperation<PackagesRequest, PackagesAnswer> {
  readonly protocol = packagesProtocol;
  readonly timeoutMs: number;

  constructor(readonly options: BrokerOptions) {
    this.timeoutMs = options.timeoutMs;
  }

  async handle(
    request: PackagesRequest,
    context: HostCallContext,
  ): Promise<PackagesAnswer | WithBytes<PackagesAnswer>> {
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

  async #project({ index }: PipSource, name: string): Promise<PackagesAnswer> {
    const { files, leftOut, unusable } = await index.project(name);
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
    return { page, leftOut, unusable };
  }

  async #file(
    { index }: PipSource,
    { sha256, offset }: PackagesRequest & { kind: "file" },
    context: HostCallContext,
  ): Promise<WithBytes<PackagesAnswer>> {
    this.options.uses.checkBytes(context);
    const bytes = await index.file(sha256);
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    this.options.uses.given(context, piece.length);
    return new WithBytes({ size: bytes.length }, piece);
  }
}

export function createBroker(options: BrokerOptions): HostOperation {
  return new Broker(options) as unknown as HostOperation;
}
