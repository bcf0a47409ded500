/** Random scripts: whatever a parser and its expansions are given, the shell goes on. */

import { ok } from "node:assert/strict";
import fc from "fast-check";
import { Shell } from "../unit/runtime/shell/harness.ts";
import { runs } from "./runs.ts";

/** Work that ends what would go on for ever. */
const FUEL = 60_000_000;

const here = new URL("../unit/runtime/shell/lines.jsonl", import.meta.url);
const corpus: readonly string[] = (await Deno.readTextFile(here)).trim().split("\n")
  .map((line): string => JSON.parse(line).script)
  // What waits is not ended by fuel, and other languages take their time.
  .filter((script) => !/sleep|python|node|np[mx]|pip|timeout|pytest|tsx|qjs|read -t/.test(script));

const PIECES = [
  ..."$ ${ } ( ) (( )) [[ ]] { }; ; & && || | < > >> << <<< <( >( ` ' \" \\ # ! ~ * ? [ ] @ % / , : = += - + ^ \n \t 0 1 9 -1"
    .split(" "),
  ...[
    "\n",
    " ",
    "$'",
    "$((",
    "${#",
    "${!",
    "${x:",
    "${x//",
    "${x@",
    "${a[",
    "@(",
    "+(",
    "!(",
    "<<E\n",
    "\nE\n",
  ],
  ...["$x", "$@", '"$*"', "$?", "$$", "$#", "${x:-", "${x%%", "${x^^}", "${a[@]}", "${!a[@]}", "$(echo a)"],
  ...[
    "{1..9}",
    "{a,b}",
    "{1..999999999}",
    "{z..a..2}",
    "9223372036854775807",
    "x=1",
    "a=(1 2 3)",
    "\0",
    "é",
    "\xff",
  ],
  ..."if then elif else fi for while until do done case in esac select function f() coproc time echo printf test eval"
    .split(" "),
  ..."local declare -A -n -i -r export unset shift set -- -e -u trap EXIT ERR return break continue exit source read"
    .split(" "),
  ..."let awk sed grep sort cut tr jq find xargs bc dc expr seq date cat head csplit patch xz tar cp mv rsync cpio rename shred"
    .split(" "),
];

const tokens = fc.array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom("", "", " ")), {
  maxLength: 60,
  size: "max",
}).map((pieces) => pieces.flat().join(""));

/** A line of the corpus, in which something is taken away, doubled or put in. */
const mutated = fc.tuple(
  fc.constantFrom(...corpus),
  fc.array(
    fc.tuple(
      fc.constantFrom("delete", "double", "insert", "swap"),
      fc.nat(2000),
      fc.nat(40),
      fc.constantFrom(...PIECES),
    ),
    { minLength: 1, maxLength: 6 },
  ),
).map(([script, edits]) =>
  edits.reduce((text, [how, place, length, piece]) => {
    const at = place % (text.length + 1);
    const [before, part, after] = [text.slice(0, at), text.slice(at, at + length), text.slice(at + length)];
    if (how === "delete") return before + after;
    if (how === "double") return before + part + part + after;
    if (how === "insert") return before + piece + part + after;
    return before + piece + after;
  }, script)
);

const ENDINGS = new Set(["completed", "exited", "failed", "out_of_fuel", "out_of_memory"]);

Deno.test("no script ends the shell, and the next one finds it as it was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(tokens, mutated), async (script) => {
      const shell = new Shell({ maxBytes: 8 << 20, maxInodes: 500 });
      await shell.out("kept=1");
      shell.runtime.beginCapture().commit();
      const { outcome } = await shell.run(script, { fuelBudget: FUEL });
      ok(ENDINGS.has(outcome.status), JSON.stringify(outcome));
      if (outcome.heap === "discarded") shell.runtime.rollback();
      const { outcome: next } = await shell.run(": next");
      ok(next.status === "completed" || next.status === "exited", JSON.stringify(next));
      shell.runtime.discard();
    }),
    runs(120),
  );
});
