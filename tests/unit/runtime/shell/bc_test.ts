/** `bc`: what it calculates, and how it ends. */

import { equal } from "node:assert/strict";
import { Shell } from "./harness.ts";

Deno.test("bc calculates", async () => {
  const shell = new Shell();
  for (
    const [expression, value] of [
      ["1+2*3", "7"],
      ["scale=3; 10/3", "3.333"],
      ["2^64", "18446744073709551616"],
      ["-7%3", "-1"],
      ["sqrt(2)", "1"],
      ["x=4; x*x", "16"],
      ["3>2", "1"],
      ["(1+2)*(3+4)", "21"],
      ["1.5*1.5", "2.2"],
      ["2^-1", "0"],
    ] as const
  ) equal(await shell.out(`echo '${expression}' | bc`), `${value}\n`, expression);
});

Deno.test("an error of bc's is said where it is, ends its line, and is the exit code", async () => {
  const { stdout, stderr, exitCode } = await new Shell().run(
    "printf 'define f(x) { return 1 / x }\\n1; f(0); 2\\n)\\ng(1)\\n2^10\\n' | bc",
  );
  equal(stdout, "1\n1024\n");
  equal(
    stderr,
    "Runtime error (func=f): Divide by zero\n" +
      "(standard_in) 3: syntax error\n" +
      "Runtime error (func=(main)): Function g not defined.\n",
  );
  equal(exitCode, 1);
});

Deno.test("bc calculates while its input comes, and ends with its reader", async () => {
  const shell = new Shell();
  equal(await shell.out("yes 1+1 | bc | head -n 2"), "2\n2\n");
  equal(await shell.out("printf 2^5 | bc"), "32\n");
  equal(await shell.out("seq 200000 | paste -sd+ | bc"), "20000100000\n");
});

Deno.test("what bc calculates is fuel", async () => {
  const { outcome } = await new Shell().run("echo 'while (1) x++' | bc", { fuelBudget: 50_000_000 });
  equal(outcome.status, "out_of_fuel");
});
