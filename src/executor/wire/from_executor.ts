/** What an executor tells its server, as JSON in frames, which is checked there: it may be a guest's. */

import * as z from "zod/mini";
import { MAX_OPERATION_LENGTH } from "../../host_calls/bridge.ts";
import { PATH_MAX } from "../../fs/names.ts";
import { isJson, MAX_VALUE_DEPTH } from "../../json_depth.ts";
import { bases } from "./bases.ts";
import {
  MAX_BECAUSE,
  MAX_INSTALLED,
  MAX_LOSS_NAME,
  MAX_LOSS_REASON,
  MAX_LOSSES,
  MAX_PACKAGE_NAME,
  MAX_VERSION,
} from "./bounds.ts";
import { workspaceAnswer } from "./workspace_protocol.ts";

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
