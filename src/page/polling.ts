/** What is asked again and again, as long as someone looks. */

import { useEffect, useRef, useState } from "preact/hooks";

export interface Polled<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  /** Asks now. */
  readonly refresh: () => void;
}

/** @param ask Asked anew whenever `key` changes. */
export function usePolling<T>(ask: () => Promise<T>, everyMs: number, key: unknown = undefined): Polled<T> {
  const [state, setState] = useState<{ value?: T; error?: unknown }>({});
  const latest = useRef(ask);
  latest.current = ask;
  const round = useRef<() => void>(() => {});
  useEffect(() => {
    let timer: number | undefined;
    let ended = false;
    let asking = false;
    const run = async () => {
      clearTimeout(timer);
      if (asking || ended) return;
      asking = true;
      if (!document.hidden) {
        await latest.current().then(
          (value) => ended || setState({ value }),
          (error) => ended || setState((before) => ({ ...before, error })),
        );
      }
      asking = false;
      if (!ended) timer = setTimeout(run, everyMs);
    };
    round.current = () => void run();
    const shown = () => document.hidden || void run();
    document.addEventListener("visibilitychange", shown);
    void run();
    return () => {
      ended = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [everyMs, key]);
  return { value: state.value, error: state.error, refresh: () => round.current() };
}
