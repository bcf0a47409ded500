/** The messages between an executor's main thread and a Worker, which serves the sessions that have a seat there. */

import type { ProcessorPlace } from "../../control/processors.ts";
import type { HostCallPost } from "../../host_calls/bridge.ts";
import type { Language } from "../../languages.ts";
import type { CodeAsset, LazyAsset } from "../assets/lazy_assets.ts";
import type { SharedAssets } from "../assets/shared_assets.ts";
import type { Bases } from "../wire/bases.ts";
import type { FromExecutor } from "../wire/from_executor.ts";
import type { ExecuteMessage, WorkerSettings, WorkspaceMessage } from "../wire/to_executor.ts";
import type { WorkspaceAnswer } from "../wire/workspace_protocol.ts";

export interface InitMessage {
  readonly type: "init";
  readonly assets: SharedAssets;
  /** Where programs wait for their turns, if they have any. */
  readonly processor: ProcessorPlace | undefined;
}

/** Where a session sits, and the memory through which it is reached while its Worker is busy. */
export interface Place {
  /** Numbers of seats begin at 1. */
  readonly seat: number;
  readonly cell: SharedArrayBuffer;
  readonly replies: SharedArrayBuffer;
}

/** Stands for the Worker itself. */
export const NO_SEAT = 0;

/** A module that was an asset, compiled: for all sessions of the process that come to use it. */
export interface ModuleMessage {
  readonly type: "module";
  readonly asset: CodeAsset;
  readonly module: WebAssembly.Module;
}

/** A session takes its seat. `image`: batches of its image follow, and then `image_end`. */
export interface OpenMessage {
  readonly type: "open";
  readonly place: Place;
  readonly settings: WorkerSettings;
  readonly image: { readonly bases: Bases } | null;
}

/**
 * What the next session's settings probably are. A Worker that has nothing else to do prepares for it: what it has
 * prepared is used if they turn out to be these, and else given up.
 */
export interface ExpectMessage {
  readonly type: "expect";
  readonly place: Place;
  readonly settings: WorkerSettings;
  /** What it will probably run. */
  readonly language: Language;
}

/** A batch of encoded image entries. */
export interface ImageMessage {
  readonly type: "image";
  readonly batch: Uint8Array<ArrayBuffer>;
}

/** An operation, and the bytes that came before it. */
export type WorkspaceRequest = WorkspaceMessage & { readonly bytes: Uint8Array };

export interface WorkspaceReply {
  readonly type: "workspace";
  readonly request: number;
  readonly answer: WorkspaceAnswer;
  /** What goes before it. */
  readonly bytes?: Uint8Array;
}

/** A piece of what an execution shows. */
export interface DisplayPiece {
  readonly type: "display";
  readonly execution: number;
  /** What goes before it. */
  readonly bytes: Uint8Array;
}

/** What concerns one session. */
export type ToSeat =
  | ExpectMessage
  | OpenMessage
  | ImageMessage
  | { readonly type: "image_end" }
  | ExecuteMessage
  | WorkspaceRequest
  | { readonly type: "close" };

export type ToWorker =
  | InitMessage
  | ModuleMessage
  | { readonly type: "seat"; readonly seat: number; readonly message: ToSeat }
  | { readonly type: "end" };

/** What a Worker posts: of which seat, or {@link NO_SEAT}. */
export interface WorkerPost {
  readonly seat: number;
  readonly message: FromWorker;
}

/** Output goes as bytes; everything else is a message that the main thread passes on unread. */
export type FromWorker =
  | { readonly type: "output"; readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }
  | ImageMessage
  | HostCallPost
  | { readonly type: "load"; readonly asset: LazyAsset }
  /** The session was told to close, and what it held is given back. */
  | { readonly type: "closed" }
  | WorkspaceReply
  | DisplayPiece
  | Exclude<FromExecutor, { type: "host_call" | "ready" | "pong" | "memory" | "workspace" | "display" }>;
