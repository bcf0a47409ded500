/** The first page: how the server is, its sessions, and how clients are connected. */

import { useState } from "preact/hooks";
import { Chart, seriesOf } from "./chart.tsx";
import { ClientConfigurations } from "./clients.tsx";
import type { Connection } from "./connection.ts";
import { bytes, messageOf } from "./format.ts";
import { usePolling } from "./polling.ts";
import type { SessionInfo } from "./replies.ts";
import { SessionList } from "./session_list.tsx";

const POLL_MS = 2000;

export interface OverviewProps {
  readonly connection: Connection;
}

export function Overview({ connection }: OverviewProps) {
  const series = (name: string) => seriesOf(connection, name);
  /** Of this person's own sessions, and of the whole server where those may be read. */
  const figures = { running: series("running"), memory: series("memory"), server: series("server") };
  const [failure, setFailure] = useState<string>();
  const { value: sessions, error, refresh } = usePolling(async () => {
    const { sessions } = await connection.call<{ sessions: SessionInfo[] }>("list_sessions", {});
    figures.running.add(sessions.flatMap(({ running }) => running).length);
    figures.memory.add(sessions.reduce((sum, { memory_bytes }) => sum + memory_bytes, 0));
    const resident = residentBytes(await connection.metrics().catch(() => undefined));
    if (resident !== undefined) figures.server.add(resident);
    return sessions;
  }, POLL_MS);
  const act = async (tool: string, args: Record<string, unknown>) => {
    setFailure(undefined);
    try {
      await connection.call(tool, args);
    } catch (error) {
      setFailure(messageOf(error));
    }
    refresh();
  };
  /** Whoever makes one wants to use it. */
  const create = async (name: string) => {
    setFailure(undefined);
    try {
      const args = name === "" ? {} : { session_id: name };
      const { session_id } = await connection.call<{ session_id: string }>("create_session", args);
      location.hash = `#/session/${encodeURIComponent(session_id)}`;
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const down = error !== undefined;
  return (
    <main>
      <h1 class="visually-hidden">Overview</h1>
      <section class="status" aria-label="Status">
        <p>
          <span class={down ? "dot bad" : "dot good"} aria-hidden="true" />
          {down ? "The server does not answer" : "The server is running"}
        </p>
        <p class="hint">
          MCP endpoint: <code>{connection.endpoint.href}</code>
        </p>
      </section>
      {(failure ?? (down ? messageOf(error) : undefined)) !== undefined && (
        <p role="alert" class="error">{failure ?? messageOf(error)}</p>
      )}
      <section aria-labelledby="sessions-title">
        <h2 id="sessions-title">Sessions</h2>
        <SessionList
          sessions={sessions}
          onCreate={create}
          onStop={(name) => act("cancel_execution", { session_id: name })}
          onDestroy={(name) => act("destroy_session", { session_id: name })}
        />
      </section>
      <section aria-labelledby="activity-title">
        <h2 id="activity-title">Activity</h2>
        <div class="charts">
          <Chart title="Running" values={figures.running.values} format={String} />
          <Chart title="Memory of your sessions" values={figures.memory.values} format={bytes} />
          {figures.server.values.length > 0 && (
            <Chart title="Memory of the server" values={figures.server.values} format={bytes} />
          )}
        </div>
      </section>
      <section aria-labelledby="clients-title">
        <h2 id="clients-title">Connect a client</h2>
        <ClientConfigurations url={connection.endpoint.href} needsToken={connection.token !== null} />
      </section>
    </main>
  );
}

/** Of the server and its executors together. */
function residentBytes(metrics: string | undefined): number | undefined {
  if (metrics === undefined) return undefined;
  const of = (name: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? ([0-9.e+]+)$`, "m").exec(metrics)?.[1]);
  const sum = of("process_resident_memory_bytes") + (of("wasmbox_executors_resident_memory_bytes") || 0);
  return Number.isFinite(sum) ? sum : undefined;
}
