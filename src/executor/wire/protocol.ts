/** The messages between server and executor, as JSON in frames. What comes from an executor is checked here. */

import * as z from "zod/mini";
import { MAX_OPERATION_LENGTH } from "../../host_calls/bridge.ts";
import { PATH_MAX } from "../../fs/names.ts";
import { mapping } from "../../host_calls/volume.ts";
import {
  MAX_BECAUSE,
  MAX_INSTALLED,
  MAX_LOSS_NAME,
  MAX_LOSS_REASON,
  MAX_LOSSES,
  MAX_PACKAGE_NAME,
  MAX_VERSION,
} from "./bounds.ts";
import { language, workspaceAnswer, workspaceOperation } from "./workspace_protocol.ts";
import { isJson, MAX_VALUE_DEPTH } from "../../json_depth.ts";

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

/** By the name of a part of the image: what that part is a delta of, as a digest. Parts that stand alone are not in it. */
const bases = z.record(z.string().check(z.maxLength(50)), z.string().check(z.maxLength(200)));
export type Bases = Readonly<z.infer<typeof bases>>;

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

const count = z.int().check(z.nonnegative());

const programError = z.object({ type: z.string(), message: z.string(), traceback: z.string() });

const ended = {
  heap: z.enum(["kept", "discarded"]),
  fuelConsumed: z.number().check(z.nonnegative()),
  memoryBytes: z.int().check(z.nonnegative()),
  moved: z.optional(z.boolean()),
  timersDropped: z.optional(z.int().check(z.positive())),
  jobsLeft: z.optional(z.int().check(z.positive())),
  ranOver: z.optional(z.boolean()),
};

/** JSON of what a handler returned, checked again: the server parses it, and whoever it tells walks it. */
const returned = z.string().check(z.refine((json) => isJson(json, MAX_VALUE_DEPTH), "not JSON"));

/** {@link RunOutcome} of src/runtime, as it arrives from an executor. */
const runOutcome = z.discriminatedUnion("status", [
  z.object({
    ...ended,
    status: z.literal("completed"),
    result: z.nullable(z.string()),
    returned: z.optional(returned),
  }),
  z.object({ ...ended, status: z.literal("exited"), exitCode: z.int() }),
  z.object({ ...ended, status: z.literal("failed"), error: programError }),
  z.object({ ...ended, status: z.literal("stopped") }),
  z.object({ ...ended, status: z.literal("out_of_fuel") }),
  z.object({ ...ended, status: z.literal("out_of_memory"), error: z.optional(programError) }),
  z.object({ ...ended, status: z.literal("crashed"), reason: z.string() }),
]);

/** What an execution did to the files below /app, which their paths are relative to. */
const changedFiles = z.object({
  files: z.array(z.object({
    path: z.string().check(z.maxLength(PATH_MAX)),
    change: z.enum(["created", "modified", "deleted"]),
    type: z.enum(["file", "symlink"]),
    /** Bytes, after it; 0 if deleted. */
    size: z.int().check(z.nonnegative()),
  })),
  /** There were more. */
  truncated: z.boolean(),
});
export type ChangedFiles = z.infer<typeof changedFiles>;

/** {@link DisplayEntry} of src/display. The bytes of those without a path came before, in order, as "display" messages. */
const displayEntry = z.object({
  mimeType: z.string().check(z.maxLength(100)),
  source: z.enum(["display", "result"]),
  size: count,
  pixels: z.nullable(z.object({ width: count, height: count })),
  path: z.nullable(z.string().check(z.maxLength(PATH_MAX))),
  note: z.nullable(z.string().check(z.maxLength(300))),
});
export type DisplayEntryMessage = z.infer<typeof displayEntry>;

const installedPackage = z.object({
  name: z.string().check(z.maxLength(MAX_PACKAGE_NAME)),
  version: z.string().check(z.maxLength(MAX_VERSION)),
  /** If it is not the newest release that was to be taken: which that is, and why not. */
  older: z.optional(z.object({
    newest: z.string().check(z.maxLength(MAX_VERSION)),
    because: z.string().check(z.maxLength(MAX_BECAUSE)),
  })),
});
export type InstalledPackage = z.infer<typeof installedPackage>;

const outcomeMessage = z.object({
  type: z.literal("outcome"),
  execution: z.int().check(z.positive()),
  outcome: runOutcome,
  /** True if files and heaps are those of before the execution. */
  rolledBack: z.boolean(),
  /**
   * Present if the heap of its language alone went back, to what was captured of it last. The executions before this one were too
   * large to capture: that is a state of before them.
   */
  heapBack: z.optional(z.literal(true)),
  /** Programs of its shell that go on with the next script: no image has them. */
  programs: count,
  /** Bytes that were not sent, before the last ones of each stream. */
  dropped: z.object({ stdout: count, stderr: count }),
  changed: changedFiles,
  displays: z.object({ entries: z.array(displayEntry).check(z.maxLength(1000)), dropped: count }),
  /** What was installed because the program imports it. */
  installed: z.array(installedPackage).check(z.maxLength(MAX_INSTALLED)),
});
export type OutcomeMessage = z.infer<typeof outcomeMessage>;

/** {@link PartLoss} of src/image: what of its image the session does not go on with. */
const partLoss = z.object({
  part: z.string().check(z.maxLength(MAX_LOSS_NAME)),
  whole: z.boolean(),
  reason: z.string().check(z.maxLength(MAX_LOSS_REASON)),
});

/** Executor → server. The channel is the frame's; nothing in a message says whose it is. */
export const fromExecutor = z.discriminatedUnion("type", [
  /**
   * It can take sessions. `permissionsLeft`: kinds of permission that it found itself still to have. `bases`: of the
   * images that it makes. `sharedBytes`: of memory that many of its sessions' heaps may map. `seats`: how many
   * sessions one of its Workers takes.
   */
  z.object({
    type: z.literal("ready"),
    permissionsLeft: z.array(z.string()),
    bases,
    sharedBytes: count,
    seats: z.int().check(z.positive()),
  }),
  /** A session's Worker is up; what it is asked next runs at once. */
  z.object({ type: z.literal("opened"), lost: z.array(partLoss).check(z.maxLength(MAX_LOSSES)) }),
  /**
   * All image frames of the state after a change were sent, or, if not complete, it was too large to send. `change`: the
   * number of an execution or of a request that changed the workspace; they are of one sequence.
   */
  z.object({
    type: z.literal("checkpoint"),
    change: z.int().check(z.nonnegative()),
    complete: z.boolean(),
  }),
  /** The process is there: the answer to a ping, or told by itself where that would be late. */
  z.object({ type: z.literal("pong") }),
  /** What the process holds, and the session on each channel; also one that was closed and has not ended yet. */
  z.object({
    type: z.literal("memory"),
    rssBytes: z.number().check(z.nonnegative()),
    sessions: z.array(z.object({ channel: count, bytes: count })),
  }),
  outcomeMessage,
  /** The bytes before it are a piece of what the execution shows. */
  z.object({ type: z.literal("display"), execution: z.int().check(z.positive()) }),
  z.object({ type: z.literal("workspace"), request: z.int().check(z.positive()), answer: workspaceAnswer }),
  z.object({
    type: z.literal("host_call"),
    call: z.int().check(z.positive()),
    operation: z.string().check(z.maxLength(MAX_OPERATION_LENGTH)),
    request: z.string(),
  }),
  /** The session's Worker failed and is gone. */
  z.object({ type: z.literal("lost"), reason: z.string() }),
]);
export type FromExecutor = z.infer<typeof fromExecutor>;
