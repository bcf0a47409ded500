/** What was run on the page, the latest first, each with what became of it. */

import { DisplayView } from "./display.tsx";
import { duration, fuel, plain } from "./format.ts";
import type { CallResult } from "./connection.ts";
import type { ExecutionReply } from "./replies.ts";
import type { Run } from "./run_store.ts";

export interface RunsProps {
  readonly runs: readonly Run[];
  readonly onAgain: (run: Run) => void;
}

export function Runs({ runs, onAgain }: RunsProps) {
  if (runs.length === 0) {
    return <p class="empty">Nothing was run here yet. Variables and files stay for the next run.</p>;
  }
  return <ol class="runs">{runs.map((run) => <RunView key={run.id} run={run} onAgain={onAgain} />)}</ol>;
}

function RunView({ run, onAgain }: { run: Run; onAgain: (run: Run) => void }) {
  const { language, code, streamed, result, failure } = run;
  const reply = result?.reply;
  const status = reply?.status ?? (failure === undefined ? "running" : "refused");
  return (
    <li class="run" data-status={status}>
      <div class="run-head">
        <span class={`badge ${status}`}>{status.replaceAll("_", " ")}</span>
        <span class="hint">{language}</span>
        {reply && <span class="hint">{duration(reply.execution_time_ms)}</span>}
        {reply?.fuel_consumed !== undefined && <span class="hint">{fuel(reply.fuel_consumed)} fuel</span>}
        <button type="button" class="quiet" onClick={() => onAgain(run)}>Edit again</button>
      </div>
      <pre class="code" tabIndex={0} aria-label="Code that was run">{code}</pre>
      {failure !== undefined && <p role="alert" class="error">{failure}</p>}
      {reply ? <Outcome reply={reply} pictures={result!.pictures} /> : <Text name="output" text={streamed} />}
    </li>
  );
}

export function Outcome(
  { reply, pictures }: { reply: ExecutionReply } & Pick<CallResult<unknown>, "pictures">,
) {
  const { stdout = "", stderr = "", result, error, notice, displays = [], displays_dropped: dropped = 0 } =
    reply;
  const changed = reply.files_changed ?? [];
  /** A table or picture says more than the same value as text. */
  const shown = displays.some(({ source, text, image }) => source === "result" && (text ?? image) != null);
  const quiet = stdout === "" && stderr === "" && result == null && !error && displays.length === 0;
  return (
    <>
      <Text name="output" text={stdout} />
      <Text name="errors" text={stderr} />
      {displays.map((display, i) => <DisplayView key={i} display={display} pictures={pictures} />)}
      {result != null && !shown && <Text name="result" text={result} />}
      {dropped > 0 && <p class="hint">{dropped} more could not be shown.</p>}
      {error && (
        <div class="error">
          <pre tabIndex={0} aria-label="Error">{plain(error.traceback ?? error.message)}</pre>
        </div>
      )}
      {notice != null && <p class="notice">{notice}</p>}
      {changed.length > 0 && (
        <p class="hint">Files: {changed.map(({ path, change }) => `${path} (${change})`).join(", ")}</p>
      )}
      {quiet && <p class="hint">It printed nothing.</p>}
    </>
  );
}

function Text({ name, text }: { name: "output" | "errors" | "result"; text: string }) {
  if (text === "") return null;
  return <pre class={name} tabIndex={0} aria-label={`The run’s ${name}`}>{plain(text)}</pre>;
}
