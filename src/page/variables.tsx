/** A session's variables, by language: what there is, of which type, and its value in short. */

import { useEffect, useState } from "preact/hooks";
import type { Connection } from "./connection.ts";
import { messageOf } from "./format.ts";
import type { LanguageVariables, SessionInfo } from "./replies.ts";

export interface VariablesProps {
  readonly connection: Connection;
  readonly session: SessionInfo;
}

const LANGUAGES = { python: "Python", javascript: "JavaScript", shell: "Shell" } as const;

export function Variables({ connection, session }: VariablesProps) {
  const [languages, setLanguages] = useState<readonly LanguageVariables[]>();
  const [failure, setFailure] = useState<string>();
  const { session_id: name, state, executions, running } = session;
  const busy = running.length > 0;
  // Anew after each run, whoever began it: while one runs, looking would wait for its end.
  useEffect(() => {
    if (busy || state !== "live") return;
    let left = false;
    connection.variables(name).then(
      (languages) => {
        if (left) return;
        setFailure(undefined);
        setLanguages(languages);
      },
      (error) => left || setFailure(messageOf(error)),
    );
    return () => {
      left = true;
    };
  }, [name, state, executions, busy]);

  const filled = languages?.filter(({ variables }) => variables.length > 0) ?? [];
  return (
    <section aria-labelledby="variables-title">
      <h2 id="variables-title">Variables</h2>
      {failure !== undefined && <p role="alert" class="error">{failure}</p>}
      {filled.length === 0
        ? <p class="empty">{emptyText(state, executions)}</p>
        : filled.map((each) => <OfLanguage key={each.language} {...each} />)}
    </section>
  );
}

function emptyText(state: SessionInfo["state"], executions: number): string {
  if (state === "live" || executions === 0) {
    return "There are none. Those that a run makes stay, and are shown here.";
  }
  return "The session sleeps. Its variables are back with the next run.";
}

function OfLanguage({ language, variables, more }: LanguageVariables) {
  const title = LANGUAGES[language];
  return (
    <div class="table variables" role="region" aria-label={`Variables of ${title}`} tabIndex={0}>
      <table>
        <caption>{title}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {variables.map(({ name, type, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="hint">{type}</td>
              <td title={value}>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p class="hint">{more} more are not shown.</p>}
    </div>
  );
}
