/** Sessions as signed files, which go from one server to another. */

import { decodeExport, encodeExport, type ExportedSession } from "../checkpoints/export_file.ts";
import type { OpenStore } from "../checkpoints/open_store.ts";
import { WasmboxError } from "../errors.ts";
import type { Session } from "./session.ts";
import { importError } from "./store_errors.ts";

/** By whose keys files are signed and checked. */
type Signer = Pick<OpenStore, "keys" | "trustImport">;

/** @throws {WasmboxError} EXPORT_UNAVAILABLE, CHECKPOINT_UNAVAILABLE. */
export async function exportFile(session: Session, signer: Signer | undefined): Promise<Uint8Array> {
  const { keys } = needed(signer);
  return await encodeExport(await session.history.exported(), session.id, keys);
}

/** What a file has that {@link exportFile} gave, perhaps in another server. @throws {WasmboxError} EXPORT_UNAVAILABLE, IMPORT_REFUSED. */
export async function importFile(
  file: Uint8Array,
  signer: Signer | undefined,
  maxBytes: number,
): Promise<ExportedSession> {
  const { keys, trustImport } = needed(signer);
  try {
    return await decodeExport(file, keys, { maxBytes, trustAll: trustImport });
  } catch (error) {
    throw importError(error);
  }
}

function needed(signer: Signer | undefined): Signer {
  if (signer) return signer;
  throw new WasmboxError("EXPORT_UNAVAILABLE", "This server has no store, and so no key to sign with.", {
    suggestions: ["Start it with --persist or --store DIRECTORY (docs/SESSIONS.md)."],
  });
}
