import type { BodySurvey } from "./survey.ts";

/**
 * Chooses the functions whose entry must be checked, so that no cycle of calls goes unmetered.
 *
 * A call through a table or a reference may lead anywhere, and is counted where it is made; one that is made within a
 * loop was counted with the loop's pass. What is left are cycles of direct calls outside of loops, of which each is cut
 * at one entry: the targets of the back edges of a depth-first search. A function that is checked cuts the graph, so
 * that what lies behind it is searched from roots of its own. Which functions of a cycle are chosen depends on where
 * the search starts: it starts in large functions, where a check weighs least.
 *
 * A cycle that leads through an imported function is not seen: the host that calls back bounds it.
 */
export function checkedEntries(functions: readonly BodySurvey[]): boolean[] {
  const checked = functions.map(() => false);
  const state: ("new" | "active" | "done")[] = functions.map(() => "new");
  const size = (index: number) => functions[index]!.end - functions[index]!.start;
  const roots = functions.map((_, index) => index).sort((a, b) => size(b) - size(a) || a - b);

  for (const root of roots) {
    if (state[root] !== "new") continue;
    const path = [{ index: root, next: 0 }];
    state[root] = "active";
    while (path.length > 0) {
      const top = path[path.length - 1]!;
      const callee = checked[top.index] ? undefined : functions[top.index]!.calls[top.next++];
      if (callee === undefined) {
        state[top.index] = "done";
        path.pop();
      } else if (state[callee] === "active") {
        checked[callee] = true;
      } else if (state[callee] === "new") {
        state[callee] = "active";
        path.push({ index: callee, next: 0 });
      }
    }
  }
  return checked;
}
