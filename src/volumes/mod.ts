/** Directories and files of the host that sessions see: who sees which, and the host operations that reach them. */

import * as z from "zod/mini";
import { concatBytes } from "../bytes.ts";
import type { VolumeSettings } from "../config/volumes.ts";
import {
  VOLUME_BOUNDS,
  volumeAnswers,
  volumeFailure,
  volumeOperation,
  volumeRequests,
} from "../host_calls/volume.ts";
import { FsError } from "../fs/errors.ts";
import { EXTERNAL, VOLUMES } from "../fs/places.ts";
import { type HostCallContext, type HostOperation, WithBytes } from "../host_calls/operations.ts";
import type { HostMapping } from "./mapping.ts";
import { codeOf } from "./errors.ts";
import { ExternalFiles } from "./external.ts";
import { type Readable, Volume } from "./volume.ts";

/** How long the host's disk may take. */
const TIMEOUT_MS = 30_000;

interface Mapped {
  readonly mapping: HostMapping;
  /** Null: all. */
  readonly principals: readonly string[] | null;
  readonly files: Readable;
}

export interface Volumes {
  readonly operations: readonly HostOperation[];
  mappings(principal: string): readonly HostMapping[];
}

/** @param settings As {@link checkVolumes} has found them good. */
export function openVolumes({ volumes, externalFiles }: VolumeSettings): Volumes {
  const mapped = volumes.map(({ host, name, writable, maxBytes, principals }): Mapped => ({
    mapping: { volume: name, path: `${VOLUMES}/${name}`, writable, hostPath: host },
    principals,
    files: new Volume({ root: host, writable, maxBytes }),
  }));
  if (externalFiles.length > 0) {
    const files = new Map(externalFiles.map(({ name, host }) => [name, host]));
    mapped.push({
      mapping: { volume: "", path: EXTERNAL, writable: false, hostPath: null },
      principals: null,
      files: new ExternalFiles(files),
    });
  }
  const seenBy = (principal: string) =>
    mapped.filter(({ principals }) => principals === null || principals.includes(principal));
  return {
    operations: mapped.length === 0 ? [] : operationsOn((volume, { principal }) => {
      const found = seenBy(principal).find(({ mapping }) => mapping.volume === volume);
      if (!found) throw new FsError("ENOENT"); // another's does not exist
      return found.files;
    }),
    mappings: (principal) => seenBy(principal).map(({ mapping }) => mapping),
  };
}

/** @param find The mapping that a session means. @throws {FsError} if it has none of that name. */
function operationsOn(find: (volume: string, context: HostCallContext) => Readable): HostOperation[] {
  const writable = (volume: string, context: HostCallContext): Volume => {
    const files = find(volume, context);
    if (!(files instanceof Volume)) throw new FsError("EROFS");
    return files;
  };
  return [
    operation("look", (request, context) => find(request.volume, context).look(request.names)),
    operation(
      "entries",
      (request, context) => find(request.volume, context).entries(request.names, request.entries),
    ),
    operation("list", (request, context) => find(request.volume, context).list(request.names, request.after)),
    operation("read", async (request, context) => {
      const { version, bytes } = await find(request.volume, context).read(request);
      return new WithBytes({ version, same: bytes === undefined }, bytes ?? new Uint8Array(0));
    }),
    operation("files", async (request, context) => {
      const read = await find(request.volume, context).files(request.names, request.files);
      const lengths = read.map((bytes) => bytes?.length ?? null);
      return new WithBytes({ lengths }, concatBytes(read.filter((bytes) => bytes !== undefined)));
    }),
    operation("write", async (request, context, bytes) => ({
      end: await writable(request.volume, context).write(request, bytes),
    })),
    operation("change", async (request, context) => ({
      stat: await writable(request.volume, context).change(request),
    })),
  ];
}

type Requests = typeof volumeRequests;

function operation<K extends keyof Requests>(
  kind: K,
  handle: (request: z.infer<Requests[K]>, context: HostCallContext, bytes: Uint8Array) => Promise<unknown>,
): HostOperation {
  return {
    protocol: {
      name: volumeOperation(kind),
      request: volumeRequests[kind],
      answer: z.union([volumeFailure, volumeAnswers[kind]]),
      ...VOLUME_BOUNDS,
    },
    timeoutMs: TIMEOUT_MS,
    async handle(request, context, bytes) {
      try {
        return await handle(request as z.infer<Requests[K]>, context, bytes);
      } catch (error) {
        return { error: codeOf(error) };
      }
    },
  };
}
