/** After an attack: does the session answer, and is its state what the reply said? */

import type { Language } from "../languages.ts";
import type { Execution, Stage } from "./attack.ts";

const MARK: Record<
  Language,
  { readonly leave: string; readonly look: string; readonly found: string; readonly gone: string }
> = {
  python: {
    leave: "marker = 'still here'",
    look: "globals().get('marker', 'gone')",
    found: "'still here'",
    gone: "'gone'",
  },
  javascript: {
    leave: "globalThis.marker = 'still here'; 0",
    look: "globalThis.marker ?? 'gone'",
    found: "'still here'",
    gone: "'gone'",
  },
  shell: { leave: "marker='still here'", look: 'echo "${marker-gone}"', found: "still here", gone: "gone" },
};

/** Puts a variable into the attacker's session, by which its state can be told later. */
export async function leaveMark(stage: Stage, language: Language): Promise<void> {
  await stage.run(language, MARK[language].leave);
}

/** Whether the variable is there exactly if the reply said that the state was not lost. */
export async function stateComplaints(stage: Stage, language: Language, said: Execution): Promise<string[]> {
  const { look, found, gone } = MARK[language];
  const next = await stage.run(language, look);
  if (next.status !== "completed") return [`the next call ended as ${next.status}: ${next.error?.message}`];
  const expected = said.state === "reset" ? gone : found;
  const value = next.result ?? next.stdout.trim(); // a script has no result but what it prints
  if (value === expected) return [];
  return [`the reply said "${said.state}", but the session's variable is ${value}`];
}

/** For an interpreter that its own program spoiled: it must answer, and be well again once it is reset. */
export async function recoveryComplaints(stage: Stage, language: Language): Promise<string[]> {
  await stage.run(language, "1");
  const { isError } = await stage.call("reset_workspace", { session_id: stage.session });
  if (isError) return ["the session could not be reset"];
  const { status, result, stdout } = await stage.run(
    language,
    language === "shell" ? "echo $((6 * 7))" : "6 * 7",
  );
  const value = result ?? stdout.trim();
  return value === "42" ? [] : [`after a reset 6 * 7 gives ${value} (${status})`];
}
