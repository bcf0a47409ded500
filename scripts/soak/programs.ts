/** What the soak's executions run: bookkeeping that shows and changes a session's state, then something to do. */

import { ATTACKS } from "../../tests/support/attacks.ts";

export type Language = "python" | "javascript";

/** An attack, or harmless work. */
export interface Work {
  readonly name: string;
  readonly code: string;
  /** Seconds. */
  readonly timeout?: number;
}

/** What bookkeeping prints before it changes anything: the numbers in the heap and in the file. */
export interface Shown {
  readonly heap: readonly number[];
  readonly file: readonly number[];
}

/** Leaves a name for `log` in the heap and a line in a file, and clears what an earlier attack left behind. */
const BOOKKEEPING: Record<Language, (number: number) => string> = {
  python: (number) =>
    `x = l = None
import os as _os
for _name in _os.listdir('/app'):
    if _name != 'log': _os.remove('/app/' + _name)
if 'log' not in globals(): log = []
_file = open('/app/log', 'a+'); _file.seek(0)
print('BEFORE', [log, [int(_line) for _line in _file]])
log.append(${number})
print('${number}', file=_file); _file.close()
print('DONE', flush=True)
`,
  javascript: (number) =>
    `globalThis.x = globalThis.s = globalThis.n = null;
var fs_ = require('fs');
for (var name_ of fs_.readdirSync('/app')) if (name_ !== 'log') fs_.rmSync('/app/' + name_);
globalThis.log ??= [];
if (!fs_.existsSync('/app/log')) fs_.writeFileSync('/app/log', '');
console.log('BEFORE', JSON.stringify([log, fs_.readFileSync('/app/log', 'utf8').split('\\n').filter(Boolean).map(Number)]));
log.push(${number});
fs_.appendFileSync('/app/log', '${number}\\n');
console.log('DONE');
`,
};

const HARMLESS: Record<Language, readonly Work[]> = {
  python: [
    { name: "arithmetic", code: "sum(i * i for i in range(2000))" },
    { name: "json", code: "import json\nlen(json.dumps(list(range(500))))" },
    { name: "an exception", code: "{}['absent']" },
    { name: "output", code: "print('x' * 5000)" },
  ],
  javascript: [
    { name: "arithmetic", code: "[...Array(2000).keys()].reduce((a, b) => a + b, 0)" },
    { name: "a promise", code: "await Promise.resolve(7)" },
    { name: "an exception", code: "null.absent" },
    { name: "output", code: "console.log('x'.repeat(5000))" },
  ],
};

const ATTACK_TIMEOUT_SECONDS = 0.5;

/** The n-th attack or harmless program of a language, over and over. */
export function workOf(language: Language, n: number, hostile: boolean): Work {
  const list = hostile ? ATTACKS.filter((attack) => attack.language === language) : HARMLESS[language];
  const work = list[n % list.length]!;
  // An attack's own time-out is short for a test; with others beside it the bookkeeping would take it all.
  return hostile ? { ...work, timeout: ATTACK_TIMEOUT_SECONDS } : work;
}

export function programOf(language: Language, number: number, work: Work): string {
  return BOOKKEEPING[language](number) + work.code;
}

/** What the bookkeeping got to print; undefined if it did not come so far: a kill may cut a line off. */
export function shownIn(stdout: string): Shown | undefined {
  const line = /^BEFORE (.*)\n/m.exec(stdout)?.[1];
  if (line === undefined) return undefined;
  const [heap, file] = JSON.parse(line) as [number[], number[]];
  return { heap, file };
}

/** Whether the bookkeeping came to its end. */
export function wasDone(stdout: string): boolean {
  return /^DONE\n/m.test(stdout);
}
