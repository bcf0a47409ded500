import * as z from "zod";
import { defineTool } from "../../tool.ts";

const input = z.strictObject({});
const output = z.object({
  sessions: z.number().int().describe("Your live sessions."),
  executions: z.number().int().describe("Executions that these have run."),
  executions_running: z.number().int(),
  executions_queued: z.number().int(),
  fuel_consumed: z.number(),
});

export const getMetrics = defineTool({
  name: "get_metrics",
  title: "Get metrics",
  description:
    "Counts what your live sessions have run and used. The server's own metrics are at GET /metrics.",
  input,
  output,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run(_args, { sessions, principal }) {
    const own = sessions.list(principal);
    const under = own.flatMap((session) => session.executions);
    const metrics: z.infer<typeof output> = {
      sessions: own.length,
      executions: own.reduce((sum, session) => sum + session.executed, 0),
      executions_running: under.filter((execution) => execution.phase === "running").length,
      executions_queued: under.filter((execution) => execution.phase === "queued").length,
      fuel_consumed: own.reduce((sum, session) => sum + session.fuelConsumed, 0),
    };
    const text = Object.entries(metrics).map(([name, value]) => `${name}: ${value}`).join("\n");
    return Promise.resolve({ output: metrics, text });
  },
});
