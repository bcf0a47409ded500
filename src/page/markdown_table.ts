/** The tables that data frames are shown as. */

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** @returns undefined if the text is anything but one table. */
export function markdownTable(text: string): Table | undefined {
  const [head, rule, ...rows] = text.trim().split("\n");
  if (!head?.startsWith("|") || !/^\|(\s*:?-+:?\s*\|)+$/.test(rule ?? "")) return undefined;
  if (!rows.every((row) => row.startsWith("|"))) return undefined;
  return { head: cellsOf(head), rows: rows.map(cellsOf) };
}

function cellsOf(row: string): string[] {
  const cells = row.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}
