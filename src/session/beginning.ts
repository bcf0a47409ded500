/** What a session begins with that was not there: nothing, what the store has of it, another one's image, or an export. */

import type { ExportedSession } from "../checkpoints/export_file.ts";
import { History } from "../checkpoints/history.ts";
import type { Earlier } from "../checkpoints/image_versions.ts";
import type { SessionKey } from "../checkpoints/store.ts";
import type { Flavor } from "../config/limits.ts";
import { WasmboxError } from "../errors.ts";
import { SessionRecord } from "./record.ts";
import type { Session, SessionBeginning, SessionHost } from "./session.ts";
import { importError } from "./store_errors.ts";

/** How it is begun. */
export interface Beginning {
  readonly flavor?: Flavor | undefined;
  /** Of what it is a copy. */
  readonly copyOf?: {
    readonly session: Session;
    readonly at?: Earlier | undefined;
    /** Of the call that wants it. */
    readonly signal?: AbortSignal | undefined;
  };
  /** What was exported of another one. */
  readonly exported?: ExportedSession;
  /** A store keeps it, though nothing is in it yet: it was asked for, and is known by its name. */
  readonly stays?: boolean;
}

/**
 * Takes the session's place in the store. Nobody else does so meanwhile.
 *
 * @throws {WasmboxError} CHECKPOINT_NOT_FOUND, IMPORT_REFUSED; then nothing was begun. What the store makes of it.
 */
export async function begin(
  key: SessionKey,
  { flavor, copyOf, exported, stays }: Beginning,
  { limits, imageBudget, store }: SessionHost,
): Promise<Omit<SessionBeginning, "limits">> {
  const record = new SessionRecord(flavor);
  const options = {
    key,
    maxBytes: limits.checkpointMaxBytes,
    undoDepth: limits.undoDepth,
    budget: imageBudget,
    facts: () => record.facts,
  };
  if (copyOf) record.copy(copyOf.session.record);
  const history = await (copyOf?.session.history.until(copyOf.signal).fork(options, copyOf.at) ??
    History.open(store, options));
  if (!history) throw noCheckpoint(copyOf!.session);
  if (exported) await goOnFrom(exported, history, record);
  if (stays && store.durable && history.empty) await history.stay(); // with an image it stays as it is
  const { found } = history.place;
  if (found) record.goOn(found.facts);
  return { record, history };
}

async function goOnFrom(exported: ExportedSession, history: History, record: SessionRecord): Promise<void> {
  record.begin(exported.facts);
  if (exported.entries.length === 0) return;
  try {
    await history.append(exported.bases, exported.entries);
  } catch (error) {
    await history.delete().catch(() => {}); // it has no head: it is no session
    throw importError(error);
  }
}

function noCheckpoint({ id }: Session): WasmboxError {
  return new WasmboxError("CHECKPOINT_NOT_FOUND", `The session "${id}" has no such checkpoint.`, {
    suggestions: ["Call list_checkpoints for those that there are."],
    context: { session_id: id },
  });
}
