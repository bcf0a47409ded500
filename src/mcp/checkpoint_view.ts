/** Checkpoints as tools name and show them. */

import * as z from "zod";
import type { Checkpoint, Earlier } from "../checkpoints/image_versions.ts";
import { WasmboxError } from "../errors.ts";
import type { Session } from "../session/session.ts";
import { sessionIdSchema } from "./schemas.ts";

export const checkpointName = z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/, "1 to 100 of A-Z a-z 0-9 _ . -");

export const sessionInput = { session_id: sessionIdSchema.optional() };

export const checkpointView = z.object({
  checkpoint: z.string(),
  created_at: z.string(),
  bytes: z.number().int(),
});

export function checkpointViewOf({ name, at, bytes }: Checkpoint): z.infer<typeof checkpointView> {
  return { checkpoint: name, created_at: at.toISOString(), bytes };
}

/** @throws {WasmboxError} CHECKPOINT_NOT_FOUND. */
export function noSuchCheckpoint(session: Session, to: Earlier): WasmboxError {
  const names = session.history.checkpoints.map(({ name }) => name);
  const message = "undo" in to
    ? `The session "${session.id}" can go back ${session.history.undoable} changes, not ${to.undo}. Nothing was changed.`
    : `The session "${session.id}" has no checkpoint "${to.name}". Nothing was changed.`;
  return new WasmboxError("CHECKPOINT_NOT_FOUND", message, {
    suggestions: [names.length > 0 ? `It has: ${names.join(", ")}.` : "Make one with checkpoint_session."],
    context: { session_id: session.id, undoable: session.history.undoable },
  });
}
