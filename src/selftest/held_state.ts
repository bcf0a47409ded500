/** What sessions are given to hold before their process is ended, and whether they hold it afterwards. */

import type { Language } from "../languages.ts";
import type { Execution, RunOptions, Stage } from "./attack.ts";
import { executorsOf } from "./executors.ts";
import { told } from "./series.ts";

/** `spoil` changes all of it, says so, and never ends. */
const HELD: Record<Language, { readonly leave: string; readonly spoil: string; readonly look: string }> = {
  python: {
    leave: "held = ['python']\nwith open('python.txt', 'w') as file: _ = file.write('held')",
    spoil:
      "held.append('spoiled'); open('python.txt', 'w').write('spoiled'); print('begun')\nwhile True: pass",
    look: "print(','.join([*held, open('python.txt').read()]))",
  },
  javascript: {
    leave: "globalThis.held = ['javascript']; require('fs').writeFileSync('javascript.txt', 'held')",
    spoil:
      "held.push('spoiled'); require('fs').writeFileSync('javascript.txt', 'spoiled'); console.log('begun'); for (;;);",
    look: "console.log([...held, require('fs').readFileSync('javascript.txt', 'utf8')].join())",
  },
  shell: {
    leave: "held=(shell); printf held > shell.txt",
    spoil: "held+=(spoiled); printf spoiled > shell.txt; echo begun; while :; do :; done",
    look: 'IFS=,; echo "${held[*]},$(cat shell.txt)"',
  },
};

/** Waits between two looks at something that takes a moment, ms, and how long it may take in all. */
const PAUSE_MS = 5;
const DEADLINE_MS = 30_000;

interface SessionView {
  readonly session_id: string;
  readonly checkpoint: string;
}

/** A program that has begun to print. */
export interface Begun {
  readonly reply: Promise<Execution>;
}

/** The sessions of one attack, and the process that they share. */
export class HeldState {
  /** What is not as it should be. */
  readonly wrong: string[] = [];

  constructor(readonly stage: Stage) {}

  /** Lets a session hold a variable and a file of each language, in a checkpoint. */
  async hold(languages: readonly Language[], session = this.stage.session): Promise<void> {
    for (const language of languages) {
      const { status, error } = await this.stage.run(language, HELD[language].leave, { session });
      if (status !== "completed") this.wrong.push(`${language} can hold nothing: ${error?.message}`);
    }
    await this.settled();
  }

  /** Waits until losing the process would lose nothing of any session. */
  async settled(): Promise<void> {
    for (const end = performance.now() + DEADLINE_MS; performance.now() < end;) {
      const { structured } = await this.stage.call("list_sessions", {});
      const behind = (structured["sessions"] as SessionView[]).filter((each) => each.checkpoint === "behind");
      if (behind.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.wrong.push("checkpoints never caught up");
  }

  /** Starts a program and waits until it prints. */
  async begin(language: Language, code: string, options: RunOptions = {}): Promise<Begun> {
    const printed = Promise.withResolvers<void>();
    const reply = this.stage.run(language, code, { ...options, onProgress: () => printed.resolve() });
    await Promise.race([printed.promise, reply]);
    return { reply };
  }

  /** Starts a program that spoils what the session holds and goes on for ever. */
  async spoil(language: Language, options: RunOptions = {}): Promise<Begun> {
    return await this.begin(language, HELD[language].spoil, options);
  }

  /** Ends the process from outside. */
  async kill(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    const executors = await executorsOf(this.stage.client.pid) ?? [];
    if (executors.length === 0) this.wrong.push("there was no process to end");
    for (const pid of executors) {
      try {
        Deno.kill(pid, signal);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error; // it has just ended
      }
    }
  }

  /** A run must have been told that its process was lost, and that what it did is undone. */
  async expectLost(running: Promise<Execution>, state = "rolled_back"): Promise<void> {
    const execution = await running;
    const { status, error } = execution;
    const lost = status === "crashed" && error?.error_code === "EXECUTOR_LOST" && execution.state === state;
    if (!lost) this.wrong.push(`a run that was lost ended as ${told(execution)}`);
  }

  /** The session must hold what it was given, and not be told of a loss. */
  async expectHeld(languages: readonly Language[], session = this.stage.session): Promise<void> {
    for (const language of languages) {
      const execution = await this.look(language, HELD[language].look, session);
      const said = execution.stdout.trim();
      if (said !== `${language},held` || execution.notice !== null) {
        this.wrong.push(`${language} holds "${said}": ${execution.notice ?? told(execution)}`);
      }
    }
  }

  /** Runs a program; once more, if it was sent to a process before anyone knew that this had ended. */
  async look(language: Language, code: string, session = this.stage.session): Promise<Execution> {
    const first = await this.stage.run(language, code, { session });
    return first.error?.error_code === "EXECUTOR_LOST"
      ? await this.stage.run(language, code, { session })
      : first;
  }
}
