/** What is measured of each peer. Peers take turns in every round, so that noise hits all of them. */

import { treeMegabytes } from "../memory.ts";
import type { Installed, Language, Peer, Running } from "./peer.ts";

export interface Contender extends Installed {
  readonly peer: Peer;
}

/** What came out for each peer, by name: the values of all rounds, or why there are none. */
export type Values = ReadonlyMap<string, readonly number[] | string>;

const PRINT: Readonly<Record<Language, string>> = {
  python: "print(1 + 1)",
  javascript: "console.log(1 + 1)",
};
/** Rounds of programs before those that count: engines still compile. */
export const WARM_UP = 2;
/** A measure of a peer ends after the turn in which it has taken so long: the slow ones, or all on a busy machine. */
const PATIENCE_MS = 10_000;
/** Until a peer that nobody asks for anything has nothing left to do. */
const IDLE_MS = 8000;
/** What memory settles in, after sessions were made. */
const SETTLE_MS = 1500;

/** Collects rounds. A peer that failed once is asked no more. */
class Rounds {
  readonly #values = new Map<string, number[] | string>();
  /** How long the turns of a peer took. */
  readonly #spent = new Map<string, number>();

  /** Takes a turn of each. @param turn Gives the values of one. @param of The round of how many. */
  async round<Each extends { readonly peer: Peer }>(
    all: readonly Each[],
    index: number,
    turn: (each: Each) => Promise<readonly number[]>,
  ): Promise<void> {
    for (const each of all) {
      const { name, slow } = each.peer;
      const before = this.#values.get(name) ?? [];
      const spent = this.#spent.get(name) ?? 0;
      if (typeof before === "string" || (slow && index > 0) || spent > PATIENCE_MS) continue;
      const start = performance.now();
      try {
        this.#values.set(name, [...before, ...await turn(each)]);
      } catch (error) {
        this.fail(each.peer, error);
      }
      this.#spent.set(name, spent + performance.now() - start);
    }
  }

  fail({ name }: Peer, error: unknown): void {
    this.#values.set(name, error instanceof Error ? error.message : String(error));
  }

  get values(): Values {
    return this.#values;
  }
}

async function expectTwo(running: Running, session: string, language: Language): Promise<number> {
  const { ms, output } = await running.run(session, PRINT[language], language);
  if (output.trim() !== "2") throw new Error(`1 + 1 printed ${JSON.stringify(output)}`);
  return ms;
}

/** From the start of a process to its first result. */
export async function starts(all: readonly Contender[], rounds: number): Promise<Values> {
  const collected = new Rounds();
  for (let i = 0; i < rounds; i++) {
    await collected.round(all, i, async (contender) => {
      const start = performance.now();
      await using running = await contender.start();
      await expectTwo(running, "first", contender.peer.languages[0]!);
      return [performance.now() - start];
    });
  }
  return collected.values;
}

/** A peer whose process runs. */
interface Up {
  readonly peer: Peer;
  readonly running: Running;
}

/** Starts a process of each; who can't start has a reason in place of its figures. */
async function launch(
  all: readonly Contender[],
  stack: AsyncDisposableStack,
  collected: readonly Rounds[],
): Promise<Up[]> {
  const up: Up[] = [];
  for (const { peer, start } of all) {
    try {
      up.push({ peer, running: stack.use(await start()) });
    } catch (error) {
      for (const rounds of collected) rounds.fail(peer, error);
    }
  }
  return up;
}

/** What sessions cost in processes that run already. */
export interface Sessions {
  readonly fresh: Values;
  readonly atOnce: Values;
  readonly warm: Values;
  /** In MB. */
  readonly weight: Values;
}

export async function sessions(all: readonly Contender[], rounds: number): Promise<Sessions> {
  await using stack = new AsyncDisposableStack();
  const [fresh, atOnce, warm, weight] = [new Rounds(), new Rounds(), new Rounds(), new Rounds()];
  const up = await launch(all, stack, [fresh]);
  for (const { peer, running } of up) {
    await expectTwo(running, "warm", peer.languages[0]!).catch(() => {}); // told by the first round
  }
  for (let i = 0; i < rounds; i++) {
    await fresh.round(up, i, async ({ running, peer }) => [
      await expectTwo(running, `new${i}`, peer.languages[0]!),
    ]);
    await warm.round(
      up.filter(({ peer }) => peer.languages[0] === "python"),
      i,
      ({ running, peer }) => running.repeat("warm", PRINT.python, peer.slow ? 1 : 50),
    );
  }
  const python = up.filter(({ peer }) => peer.languages[0] === "python");
  await atOnce.round(python.filter(({ peer }) => !peer.slow), 0, async ({ running }) => {
    const taken: number[] = [];
    const until = performance.now() + PATIENCE_MS / 2;
    for (let i = 0; i < 8 && performance.now() < until; i++) {
      taken.push(await expectTwo(running, `next${i}`, "python"));
    }
    return taken;
  });
  await weight.round(python.filter(({ peer }) => !peer.stateless), 0, async ({ running }) => {
    // What a peer does when it has nothing else to do is no session's.
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const before = treeMegabytes(running.pids);
    const until = performance.now() + PATIENCE_MS / 2;
    let made = 0;
    for (; made < 10 && performance.now() < until; made++) await running.run(`idle${made}`, "x = 1");
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return [(treeMegabytes(running.pids) - before) / made];
  });
  return { fresh: fresh.values, atOnce: atOnce.values, warm: warm.values, weight: weight.values };
}

/** A program's times by peer: the rounds in which it was warm. */
export interface Computed {
  readonly times: ReadonlyMap<string, Values>;
  /** Peers whose results were others than the native one's. */
  readonly wrong: ReadonlySet<string>;
}

/** A program in rounds, of which the first ones warm up, unless a peer has no later one. */
export async function computing(
  all: readonly Contender[],
  language: Language,
  source: string,
  rounds: number,
): Promise<Computed> {
  await using stack = new AsyncDisposableStack();
  const collected = new Rounds();
  const up = await launch(all, stack, [collected]);
  const told = new Map<string, Record<string, number>[]>();
  const results = new Map<string, string>();
  for (let i = 0; i < rounds; i++) {
    await collected.round(up, i, async ({ running, peer }) => {
      const { output } = await running.run("compute", source, language);
      const { times, results: own, ...rest } = JSON.parse(output);
      results.set(peer.name, JSON.stringify(own ?? null));
      told.set(peer.name, [...told.get(peer.name) ?? [], times ?? rest]);
      return [];
    });
  }
  const times = new Map<string, Map<string, number[] | string>>();
  for (const [name, own] of told) {
    // Of who was so slow that there is nothing else, a round that warmed up.
    for (const round of own.slice(Math.min(WARM_UP, own.length - 1))) {
      for (const [program, ms] of Object.entries(round)) add(times, program, name, ms);
    }
  }
  for (const [name, reason] of collected.values) {
    if (typeof reason === "string") { for (const values of times.values()) values.set(name, reason); }
  }
  const right = results.get(all.find(({ peer }) => peer.native)?.peer.name ?? "");
  const wrong = [...results].filter(([, own]) => right !== undefined && own !== right).map(([name]) => name);
  return { times, wrong: new Set(wrong) };
}

function add(times: Map<string, Map<string, number[] | string>>, program: string, peer: string, ms: number) {
  const values = times.get(program) ?? new Map<string, number[] | string>();
  const own = values.get(peer);
  values.set(peer, [...Array.isArray(own) ? own : [], ms]);
  times.set(program, values);
}
