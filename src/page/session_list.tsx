/** All sessions of a person: what each is doing and holds, and what can be done about it. */

import { useState } from "preact/hooks";
import { ago, bytes, fuel } from "./format.ts";
import type { SessionInfo } from "./replies.ts";

export interface SessionListProps {
  /** Undefined until they are known. */
  readonly sessions: readonly SessionInfo[] | undefined;
  /** @param name Empty for any that is free. */
  readonly onCreate: (name: string) => Promise<void>;
  readonly onStop: (name: string) => Promise<void>;
  readonly onDestroy: (name: string) => Promise<void>;
}

export function SessionList({ sessions, onCreate, onStop, onDestroy }: SessionListProps) {
  return (
    <>
      <NewSession onCreate={onCreate} />
      {sessions === undefined && <p class="hint">Asking the server …</p>}
      {sessions?.length === 0 && (
        <p class="empty">
          There are none. Make one here, or let a client run something: sessions of your token appear by
          themselves.
        </p>
      )}
      {sessions !== undefined && sessions.length > 0 && (
        <div class="table" role="region" aria-label="Sessions" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">State</th>
                <th scope="col" class="number">Memory</th>
                <th scope="col" class="number">Fuel</th>
                <th scope="col" class="number">Runs</th>
                <th scope="col">Used</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((session) => (
                <Row key={session.session_id} session={session} onStop={onStop} onDestroy={onDestroy} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function NewSession({ onCreate }: Pick<SessionListProps, "onCreate">) {
  const [name, setName] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    void onCreate(name.trim());
    setName("");
  };
  return (
    <form class="new-session" onSubmit={submit}>
      <label for="new-session" class="visually-hidden">Name of a new session</label>
      <input
        id="new-session"
        value={name}
        placeholder="Name (optional)"
        pattern="[A-Za-z0-9_\-]{1,100}"
        title="1 to 100 characters out of A-Z a-z 0-9 _ -"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit" class="primary">New session</button>
    </form>
  );
}

interface RowProps extends Pick<SessionListProps, "onStop" | "onDestroy"> {
  readonly session: SessionInfo;
}

function Row({ session, onStop, onDestroy }: RowProps) {
  const { session_id: name, running } = session;
  const [sure, setSure] = useState(false);
  return (
    <tr>
      <th scope="row">
        <a href={`#/session/${encodeURIComponent(name)}`}>{name}</a>
      </th>
      <td>
        <StateBadge session={session} />
      </td>
      <td class="number">{bytes(session.memory_bytes)}</td>
      <td class="number">{fuel(session.fuel_consumed)}</td>
      <td class="number">{session.executions}</td>
      <td>{ago(session.last_used_at)}</td>
      <td class="actions">
        {running.length > 0 && (
          <button
            type="button"
            aria-label={`Stop ${name}`}
            onClick={() => void onStop(name)}
          >
            Stop
          </button>
        )}
        {sure
          ? (
            <button
              type="button"
              class="danger"
              aria-label={`Really destroy ${name}`}
              onBlur={() => setSure(false)}
              onClick={() => void onDestroy(name)}
            >
              Really?
            </button>
          )
          : (
            <button type="button" aria-label={`Destroy ${name}`} onClick={() => setSure(true)}>
              Destroy
            </button>
          )}
      </td>
    </tr>
  );
}

export function StateBadge({ session: { state, running } }: { session: SessionInfo }) {
  if (running.some(({ phase }) => phase === "running")) return <span class="badge busy">running</span>;
  if (running.length > 0) return <span class="badge busy">waiting</span>;
  return <span class={`badge ${state}`}>{state}</span>;
}
