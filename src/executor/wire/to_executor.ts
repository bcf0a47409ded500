/** What a server tells its executor, as JSON in frames. */

import * as z from "zod/mini";
import { mapping } from "../../host_calls/volume.ts";
import { bases } from "./bases.ts";
import { language, workspaceOperation } from "./workspace_protocol.ts";

/** What a session's Worker is made with. Sizes in bytes. */
const workerSettings = z.object({
  memoryBytes: z.int().check(z.positive()),
  workspaceBytes: z.int().check(z.nonnegative()),
  workspaceFiles: z.int().check(z.positive()),
  stdoutMaxBytes: z.int().check(z.nonnegative()),
  stderrMaxBytes: z.int().check(z.nonnegative()),
  maxDisplays: z.int().check(z.nonnegative()),
  displayMaxBytes: z.int().check(z.nonnegative()),
  /** Most that the session's image may hold; a larger one is not sent. */
  imageBytes: z.int().check(z.nonnegative()),
  /** What a program that was interrupted has to end with its heap kept, milliseconds. */
  interruptGraceMs: z.number().check(z.nonnegative()),
  clock: z.enum(["real", "virtual"]),
  /** Of all randomness; null for the platform's. */
  seed: z.nullable(z.int().check(z.nonnegative())),
  env: z.record(z.string(), z.string()),
  /** Heaps to boot before the first execution asks for them. */
  prepare: z.array(language),
  /** Directories and files of the host that it sees. */
  mappings: z.array(mapping),
  /** Whether packages of an index can be had, and whether they are when a Python program imports them. */
  packages: z.enum(["off", "on_request", "on_import"]),
});
export type PackagesMode = WorkerSettings["packages"];
export type WorkerSettings = z.infer<typeof workerSettings>;

/** {@link HandlerCall} of src/runtime. */
const handlerCall = z.object({
  event: z.string(),
  context: z.string(),
  timeoutMs: z.number().check(z.positive()),
  required: z.boolean(),
});

export type HandlerCall = z.infer<typeof handlerCall>;

const execute = z.object({
  type: z.literal("execute"),
  /** Counts up within the server; the number the control cell compares. */
  execution: z.int().check(z.positive()),
  language,
  dialect: z.optional(z.literal("typescript")),
  /** What `code` is: of the language, or arguments for pip as a JSON array; that runs beside the session's heaps. */
  program: z.enum(["code", "pip", "npm"]),
  code: z.string(),
  filename: z.string(),
  resultMaxBytes: z.int().check(z.nonnegative()),
  fuelBudget: z.nullable(z.int().check(z.positive())),
  /** The language's heap is a copy of another session's, and has not run here yet. */
  reseed: z.optional(z.boolean()),
  /** What a run that does not succeed leaves behind: its state so far, or that of before. */
  onFailure: z.enum(["keep", "rollback"]),
  /** How to call the program's handler after it has run; null for no such call. */
  handler: z.nullable(handlerCall),
});
export type ExecuteMessage = z.infer<typeof execute>;

const workspaceRequest = z.object({
  type: z.literal("workspace"),
  /** Of the same sequence as the numbers of executions: what a checkpoint of the state after it is named by. */
  request: z.int().check(z.positive()),
  operation: workspaceOperation,
});
export type WorkspaceMessage = z.infer<typeof workspaceRequest>;

/** Server → executor. The channel is the frame's. */
export const toExecutor = z.discriminatedUnion("type", [
  /**
   * `image`: frames with the entries of an image follow, and then `image_end`; the session goes on from it. Null: it
   * starts fresh. `room`: the number of its Worker, which may have other sessions; a new number is a new Worker.
   */
  z.object({
    type: z.literal("open"),
    room: z.int().check(z.positive()),
    settings: workerSettings,
    image: z.nullable(z.object({ bases })),
  }),
  /** What the next session's settings, and what it runs, probably are. */
  z.object({ type: z.literal("expect"), settings: workerSettings, language }),
  /** It may compute for itself while nobody asks it for anything, so that guests compute faster. Once. */
  z.object({ type: z.literal("warm_up") }),
  z.object({ type: z.literal("image_end") }),
  /** More bytes of image frames that the server is ready to take. */
  z.object({ type: z.literal("credit"), bytes: z.int().check(z.positive()) }),
  /** Answered at once by an executor that is well. */
  z.object({ type: z.literal("ping") }),
  /** Asks for "memory". `short`: there is too little of it, and what nobody needs yet should go. */
  z.object({ type: z.literal("weigh"), short: z.boolean() }),
  /** The session is given up: what runs there is of no use any more. */
  z.object({ type: z.literal("close") }),
  execute,
  z.object({
    type: z.literal("stop"),
    execution: z.int().check(z.positive()),
    how: z.enum(["interrupt", "abort"]),
  }),
  workspaceRequest,
  z.object({
    type: z.literal("host_reply"),
    call: z.int().check(z.positive()),
    answer: z.discriminatedUnion("ok", [
      z.object({ ok: z.literal(true), json: z.string() }),
      z.object({ ok: z.literal(false), message: z.string() }),
    ]),
  }),
]);
export type ToExecutor = z.infer<typeof toExecutor>;
