/** The operator's settings for all tools. */

export const TOOL_PROFILES = ["default", "compat"] as const;

export interface ToolSettings {
  /** "compat" adds the tools and parameters of other systems, and calls handlers the way they do. */
  readonly profile: typeof TOOL_PROFILES[number];
  /** Only create_session creates sessions, and every call must name its own. */
  readonly requireSession: boolean;
  /** After this much silence, a client that asked for progress is told that its call is still running. */
  readonly heartbeatMs: number;
}

export const DEFAULT_TOOLS: ToolSettings = { profile: "default", requireSession: false, heartbeatMs: 10_000 };
