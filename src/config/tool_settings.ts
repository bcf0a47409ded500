/** What an operator decides about all tools. */

export const TOOL_PROFILES = ["default", "compat"] as const;

export interface ToolSettings {
  /** "compat" adds the tools and parameters of other systems, and calls handlers as they do. */
  readonly profile: typeof TOOL_PROFILES[number];
  /** Sessions are made by create_session alone, and calls name theirs. */
  readonly requireSession: boolean;
  /** Silence after which a client that asked for progress is told that its call goes on. */
  readonly heartbeatMs: number;
}

export const DEFAULT_TOOLS: ToolSettings = { profile: "default", requireSession: false, heartbeatMs: 10_000 };
