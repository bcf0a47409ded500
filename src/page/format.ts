/** Figures and times for people. */

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(1)} kB`;
  return `${(count / 1e6).toFixed(count < 1e7 ? 1 : 0)} MB`;
}

/** Metered work: about 100 million in a second. */
export function fuel(units: number): string {
  if (units === 0) return "0";
  if (units < 1e6) return `${(units / 1e3).toFixed(0)} k`;
  return units < 1e9 ? `${(units / 1e6).toFixed(1)} M` : `${(units / 1e9).toFixed(1)} G`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(0)} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round(ms / 1000) % 60} s`;
}

export function ago(time: string): string {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}

/** Without what would colour it in a terminal. */
export function plain(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
