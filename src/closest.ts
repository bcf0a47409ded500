/** Suggestions for misspelled names. */

/**
 * The name that was probably meant; undefined if none is close enough.
 *
 * @param most How many characters may be wrong.
 */
export function closest(
  word: string,
  names: readonly string[],
  most = Math.max(2, word.length / 3),
): string | undefined {
  const ranked = names.map((name) => ({ name, distance: editDistance(word, name) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= most ? best.name : undefined;
}

/**
 * Insertions, deletions, replacements, and neighbours that changed places. Only the beginning of a long word counts.
 */
function editDistance(a: string, b: string): number {
  a = a.slice(0, 100);
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = swapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
