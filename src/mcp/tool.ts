/** What a tool is, free of the SDK: schemas at module scope, logic in one function. */

import type * as z from "zod";
import type { Flavor } from "../config/limits.ts";
import type { ToolSettings } from "../config/tool_settings.ts";
import type { SessionTable } from "../session/table.ts";

/** Who calls, and how the call can be followed and ended. */
export interface ToolContext {
  readonly principal: string;
  /** The session a call without `session_id` means; absent where each such call gets a new one. */
  readonly defaultSession: string | undefined;
  readonly sessions: SessionTable;
  readonly settings: ToolSettings;
  /** Of a session that the call makes; the server's default if absent. */
  readonly newSessionFlavor?: Flavor | undefined;
  /** Aborted when the client cancels the request or goes away. */
  readonly signal: AbortSignal;
  /** Present if the client asked for progress. */
  readonly progress: ((message: string, executionId: string) => void) | undefined;
  /** Present if what runs in the background is a task of the protocol to the client; how long it wants that kept. */
  readonly task?: { readonly ttlMs: number | undefined } | undefined;
  /** Tells the client's log, if it wants to hear of that level. */
  readonly tell: (level: "warning", data: Readonly<Record<string, unknown>>) => void;
}

/** What a reply shows besides its text; bounded by whoever makes it. */
export type ContentBlock =
  | { readonly type: "image"; /** Base64. */ readonly data: string; readonly mimeType: string }
  | {
    readonly type: "resource_link";
    readonly uri: string;
    readonly name: string;
    readonly mimeType?: string;
    readonly size?: number;
  };

export interface ToolResult<Output> {
  /** The structured content, of the shape of the tool's output schema. */
  readonly output: Output;
  /** The same for a model to read. */
  readonly text: string;
  /** Shown after the text. */
  readonly blocks?: readonly ContentBlock[];
  /** Fields of the protocol's result beside content and structured content, for clients of other systems. */
  readonly fields?: Readonly<Record<string, string | boolean | null>>;
  /** Of an execution that goes on in the background, its id, if it is a task. */
  readonly taskId?: string;
  /** True when the sandbox could not do what was asked. */
  readonly isError?: boolean;
}

/** Hints of the protocol about what a tool does. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface Tool<Input = unknown, Output extends object = object> {
  readonly name: string;
  readonly title: string;
  /** Written for the model that decides whether to call it. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Of the structured content; docs/REPLIES.md has it for people. */
  readonly output: z.ZodType<Output>;
  /** Whether tools/list has it too, for clients that write programs against it: seldom worth what it costs a model. */
  readonly listsOutput?: boolean;
  /** Whether it is of use only where a store keeps sessions: elsewhere tools/list spares models the reading. */
  readonly needsStore?: boolean;
  readonly hints: ToolHints;
  /**
   * Arguments that the schema refuses, in its own words where they are those of other systems' tools of the kind, which
   * models know: no schema that is listed has to tell of them. The same if they are not.
   */
  readonly translate?: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Whether it takes `background: true`, so that what it runs can be a task of the protocol. */
  readonly takesTasks?: boolean;
  /** Whether its reply is an execution's, which the result app shows. */
  readonly showsResult?: boolean;
  /** @throws {WasmboxError} for what the caller should be told. */
  run(args: Input, context: ToolContext): Promise<ToolResult<Output>>;
}

/** A tool with its types inferred, as one of a list of any tools. */
export function defineTool<Input, Output extends object>(tool: Tool<Input, Output>): Tool {
  return tool as unknown as Tool;
}
