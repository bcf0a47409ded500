/** One session: an editor, what was run, files, and figures. */

import { useState } from "preact/hooks";
import { Chart, type Series, seriesOf } from "./chart.tsx";
import type { Connection } from "./connection.ts";
import { Editor } from "./editor.tsx";
import { Files } from "./files.tsx";
import { ago, bytes, duration, fuel, messageOf } from "./format.ts";
import { usePolling } from "./polling.ts";
import { type Language, LANGUAGES, type SessionInfo } from "./replies.ts";
import { type Run, useRuns } from "./run_store.ts";
import { Runs } from "./runs.tsx";
import { StateBadge } from "./session_list.tsx";
import { Variables } from "./variables.tsx";

const POLL_MS = 1000;

const TITLES: Readonly<Record<Language, string>> = {
  python: "Python",
  javascript: "JavaScript, TypeScript",
  shell: "Shell",
};

export interface SessionPageProps {
  readonly connection: Connection;
  readonly name: string;
}

export function SessionPage({ connection, name }: SessionPageProps) {
  const memory = seriesOf(connection, `memory of ${name}`);
  const { value: session, error, refresh } = usePolling(async () => {
    const { sessions } = await connection.call<{ sessions: SessionInfo[] }>("list_sessions", {});
    const found = sessions.find(({ session_id }) => session_id === name) ?? null;
    if (found) memory.add(found.memory_bytes);
    return found;
  }, POLL_MS);
  const create = async () => {
    await connection.call("create_session", { session_id: name }).catch(() => {}); // the next poll tells
    refresh();
  };
  if (session === undefined) {
    return (
      <main>
        {error ? <p role="alert" class="error">{messageOf(error)}</p> : <p class="hint">Asking …</p>}
      </main>
    );
  }
  if (session === null) {
    return (
      <main>
        <h1>{name}</h1>
        <p class="empty">There is no session of this name: it was destroyed, or not used for too long.</p>
        <p>
          {/^[\w-]{1,100}$/.test(name) && (
            <button type="button" class="primary" onClick={() => void create()}>Make it</button>
          )} <a href="#/">All sessions</a>
        </p>
      </main>
    );
  }
  return (
    <main class="session">
      <div class="title">
        <h1>{name}</h1>
        <StateBadge session={session} />
        <a href="#/">All sessions</a>
      </div>
      {error !== undefined && <p role="alert" class="error">{messageOf(error)}</p>}
      <Workbench connection={connection} session={session} memory={memory} refresh={refresh} />
    </main>
  );
}

interface WorkbenchProps {
  readonly connection: Connection;
  readonly session: SessionInfo;
  readonly memory: Series;
  readonly refresh: () => void;
}

function Workbench({ connection, session, memory, refresh }: WorkbenchProps) {
  const name = session.session_id;
  const [language, setLanguage] = useState<Language>("python");
  const [text, setText] = useState("");
  const store = useRuns(connection, name);
  const { runs } = store;
  const ended = runs.filter(({ result }) => result).map(({ result }) => result!.reply).reverse();
  const busy = session.running.length > 0 || store.busy;
  const start = (language: Language, code: string) => {
    if (code.trim() !== "") void store.start(language, code).then(refresh);
  };
  const stop = () => void connection.call("cancel_execution", { session_id: name }).catch(() => {}); // it may have ended
  const again = (run: Run) => {
    setLanguage(run.language);
    setText(run.code);
  };
  return (
    <div class="columns">
      <section aria-label="Code and output" class="work">
        <div class="toolbar">
          <label for="language" class="visually-hidden">Language</label>
          <select
            id="language"
            value={language}
            onChange={(event) => setLanguage(event.currentTarget.value as Language)}
          >
            {LANGUAGES.map((each) => <option key={each} value={each}>{TITLES[each]}</option>)}
          </select>
          <button
            type="button"
            class="primary"
            disabled={text.trim() === ""}
            onClick={() => start(language, text)}
          >
            Run
          </button>
          <button type="button" disabled={!busy} onClick={stop}>Stop</button>
          <span id="editor-help" class="hint">Ctrl+Enter runs; Esc, then Tab, leaves the editor</span>
        </div>
        <Editor language={language} text={text} onText={setText} onRun={() => start(language, text)} />
        <h2 class="visually-hidden">Runs</h2>
        <div aria-live="polite">
          <Runs runs={runs} onAgain={again} />
        </div>
      </section>
      <div class="side">
        <Files connection={connection} session={name} changes={ended.length} />
        <Variables connection={connection} session={session} />
        <section aria-labelledby="figures-title">
          <h2 id="figures-title">Figures</h2>
          <div class="charts narrow">
            <Chart title="Memory" values={memory.values} format={bytes} />
            <Chart
              title="Time of runs"
              kind="bars"
              values={ended.map((each) => each.execution_time_ms)}
              format={duration}
            />
            <Chart
              title="Fuel of runs"
              kind="bars"
              values={ended.map((each) => each.fuel_consumed ?? 0)}
              format={fuel}
            />
          </div>
          <p class="hint">
            {session.executions} runs, {fuel(session.fuel_consumed)} fuel in all; made{" "}
            {ago(session.created_at)}
          </p>
        </section>
      </div>
    </div>
  );
}
