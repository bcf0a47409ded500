/** What a client must believe of a session's state, from the replies alone. */

import type { Reply } from "../../tests/support/harness.ts";
import { type Language, type Shown, shownIn, wasDone } from "./programs.ts";

/** Numbers of the executions whose effects are there. */
interface State {
  readonly heaps: Readonly<Record<Language, readonly number[]>>;
  readonly file: readonly number[];
}

const EMPTY: State = { heaps: { python: [], javascript: [] }, file: [] };

/**
 * The states that a session may be in. Mostly one; more where a reply leaves open how far a program came before it
 * was stopped, until the next execution shows which.
 */
type Candidates = readonly State[];

/** Follows one session. */
export class SessionModel {
  #now: Candidates = [EMPTY];
  /** Before the last execution that ended by itself: where a loss between two executions leads. */
  #previous: Candidates = [EMPTY];

  /**
   * Takes a reply.
   *
   * @param number Of the execution, as its program knows it.
   * @returns What the reply contradicts of what was said before, if anything.
   */
  apply(language: Language, number: number, reply: Reply): string | undefined {
    const { state, status, stdout, error } = reply;
    const lost = /were lost|was lost/.test(reply.notice ?? "");
    const lostAll = /earlier variables and files were lost/.test(reply.notice ?? "");
    let base = this.#now;
    if (lost) base = lostAll ? [EMPTY] : this.#previous;
    const shown = shownIn(stdout);
    const matching = shown ? base.filter((candidate) => shows(candidate, language, shown)) : base;
    let problem: string | undefined;
    if (shown && matching.length === 0) {
      problem = `showed ${JSON.stringify(shown)}, expected ${
        base.map((it) => describe(it, language)).join(" or ")
      }`;
    }
    const before = shown && problem
      ? base.map((candidate) => resynchronised(candidate, language, shown))
      : matching;

    const after = before.map((it) => withEffect(it, language, number));
    const partly = before.flatMap((it) => [it, withHeap(it, language, number)]);
    const reached = wasDone(stdout) ? after : [...partly, ...after];
    const processLost = error?.error_code === "EXECUTOR_LOST";
    let now: Candidates;
    if (processLost) now = state === "reset" ? [EMPTY] : before;
    // With a loss told, `state` may be that of the loss, and say nothing of what this execution left.
    else if (lost && state === "rolled_back") {
      now = status === "completed" || status === "failed" ? reached : [...before, ...reached];
    } else if (lostAll) now = [...before, ...reached, ...reached.map((it) => withoutHeap(it, language))];
    else if (state === "kept") now = reached;
    else if (state === "rolled_back") now = before;
    else if (/files are lost/.test(error?.message ?? "")) now = [EMPTY];
    else now = reached.flatMap((it) => [withoutHeap(it, language), { ...it, heaps: EMPTY.heaps }]);
    if (!processLost) this.#previous = before;
    else if (lost) this.#previous = before;
    this.#now = unique(now);
    return problem;
  }
}

function shows(state: State, language: Language, { heap, file }: Shown): boolean {
  return same(state.heaps[language], heap) && same(state.file, file);
}

function withHeap(state: State, language: Language, number: number): State {
  return { ...state, heaps: { ...state.heaps, [language]: [...state.heaps[language], number] } };
}

function withEffect(state: State, language: Language, number: number): State {
  return { ...withHeap(state, language, number), file: [...state.file, number] };
}

function withoutHeap(state: State, language: Language): State {
  return { ...state, heaps: { ...state.heaps, [language]: [] } };
}

function resynchronised(state: State, language: Language, { heap, file }: Shown): State {
  return { heaps: { ...state.heaps, [language]: heap }, file };
}

function same(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((number, index) => number === other[index]);
}

function unique(candidates: Candidates): Candidates {
  return [...new Map(candidates.map((candidate) => [JSON.stringify(candidate), candidate])).values()];
}

/** Enough of a state to tell it from its neighbours. */
function describe(state: State, language: Language): string {
  const end = (list: readonly number[]) => `${list.length} numbers ending ${JSON.stringify(list.slice(-4))}`;
  return `heap ${end(state.heaps[language])}, file ${end(state.file)}`;
}
