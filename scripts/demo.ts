/** The main job, end to end: a real client starts the real server over stdio and runs code in a stateful session. */

import { TestServer } from "../tests/support/harness.ts";
import { ensureAssets } from "./assets/mod.ts";

await ensureAssets();

interface Step {
  readonly title: string;
  readonly language: "python" | "javascript";
  readonly code: string;
  readonly timeout?: number;
}

const STEPS: readonly Step[] = [
  { title: "Python defines a variable", language: "python", code: "primes = [2, 3, 5, 7]\nprint('defined')" },
  { title: "… and uses it in a second call", language: "python", code: "sum(primes)" },
  {
    title: "JavaScript does the same",
    language: "javascript",
    code: "const squares = [1, 4, 9]; console.log('defined')",
  },
  { title: "… in its second call", language: "javascript", code: "squares.map((x) => x + 1)" },
  { title: "A traceback", language: "python", code: "def ratio(a, b):\n    return a / b\n\nratio(1, 0)" },
  {
    title: "An infinite loop, stopped at its time-out",
    language: "python",
    code: "while True:\n    pass",
    timeout: 1,
  },
  { title: "… with the variables still there", language: "python", code: "primes" },
];

await using server = await TestServer.start();
for (const { title, language, code, timeout } of STEPS) {
  const start = performance.now();
  const { text } = await server.call("execute_code", { language, code, ...(timeout && { timeout }) });
  console.log(`\n# ${title} (${(performance.now() - start).toFixed(1)} ms)`);
  console.log(code.replaceAll(/^/gm, language === "python" ? ">>> " : "> "));
  console.log(text);
}
