/** What programs read of pipes, and who reads what they print. */

import { equal, match } from "node:assert/strict";
import { Shell } from "./harness.ts";

const FOREVER = {
  python: `python3 -c 'import itertools\nfor i in itertools.count(): print(i)'`,
  javascript: `node -e 'for (let i = 0;; i++) console.log(i)'`,
};

for (const [language, endless] of Object.entries(FOREVER)) {
  Deno.test(`a program in ${language} that prints for ever ends with its reader`, async () => {
    const shell = new Shell();
    equal(await shell.out(`${endless} | head -n 2; echo "\${PIPESTATUS[@]}"`), "0\n1\n141 0\n");
    equal(await shell.out(`${endless} | head -c 3; echo "\${PIPESTATUS[@]}"`), "0\n1141 0\n");
  });
}

Deno.test("a program whose reader goes when all is written has ended as it did", async () => {
  equal(
    await new Shell().out(`python3 -c 'print("a\\n" * 9)' | head -n 1; echo "\${PIPESTATUS[@]}"`),
    "a\n0 0\n",
  );
});

Deno.test("what a command prints that has a time-out goes on as it comes, and ends with its reader", async () => {
  equal(await new Shell().out(`timeout 20 yes | head -n 2; echo "\${PIPESTATUS[@]}"`), "y\ny\n141 0\n");
});

Deno.test("a program that prints more than is held for one that has not begun is ended, and told why", async () => {
  const { stdout, stderr } = await new Shell().run(
    `node -e 'for (;;) console.log("x".repeat(2**20))' | node -e 'process.stdin.once("data", () => { console.log(1); process.exit() })'; echo "\${PIPESTATUS[@]}"`,
  );
  equal(stdout, "1\n1 0\n");
  match(stderr, /^node: it printed more than 64 MiB that nobody reads yet: let it write to a file$/m);
});

Deno.test("input that a program does not read is there for what comes after it", async () => {
  const shell = new Shell();
  equal(await shell.out(`seq 3 | (python3 -c 'print("-")'; node -e ''; cat)`), "-\n1\n2\n3\n");
  equal(await shell.out(`seq 3 | (python3 -c 'print(input())'; cat)`), "1\n");
});

Deno.test("more input than a tool can hold is an error, not a part of it", async () => {
  const { stdout, stderr } = await new Shell().run('yes | gzip | wc -c; echo "${PIPESTATUS[@]}"');
  equal(stdout, "0\n141 1 0\n");
  match(stderr, /^gzip: its input is larger than 64 MiB$/m);
});

const READERS = {
  python: `python3 -c 'print(input())'`,
  javascript:
    `node -e 'process.stdin.once("data", (data) => { console.log(String(data).slice(0, 1)); process.exit() })'`,
};

for (const [language, reader] of Object.entries(READERS)) {
  Deno.test(`a program in ${language} reads as much as it asks for of what has no end`, async () => {
    equal(await new Shell().out(`yes | ${reader}; echo "\${PIPESTATUS[@]}"`), "y\n141 0\n");
    equal(await new Shell().out(`while :; do echo y; done | ${reader}`), "y\n");
  });
}

Deno.test("programs and commands take their turns, however long the pipe", async () => {
  const shell = new Shell();
  await shell.out("printf '%s\\n' 'import sys' 'for line in sys.stdin: print(int(line) + 1)' >more.py");
  equal(await shell.out("seq 3 | python3 more.py | cat | python3 more.py | sort -rn"), "5\n4\n3\n");
  equal(
    await shell.out(`seq 3 | python3 more.py | while read -r l; do python3 -c "print($l * 2)"; done`),
    "4\n6\n8\n",
  );
  equal(await shell.out("(sleep 0.01; seq 2 | python3 more.py) | (sleep 0.02; python3 more.py)"), "3\n4\n");
});

Deno.test("what a program prints is there for its reader as it comes", async () => {
  const script = `python3 -uc '
import os, time
for i in range(3):
    print(i)
    while not os.path.exists(f"read{i}"): time.sleep(0.001)
print("all")' | while read -r l; do touch "read$l"; echo "$l"; done`;
  equal(await new Shell().out(script), "0\n1\n2\nall\n");
});

Deno.test("a program waits for what comes later", async () => {
  equal(
    await new Shell().out(
      "(echo a; sleep 0.02; echo b; sleep 0.02 & wait; echo c) | python3 -c 'print(*open(0))'",
    ),
    "a\n b\n c\n\n",
  );
});

Deno.test("what a program and its commands print comes in its order, to files too", async () => {
  const program = `import os, sys
print(1)
print(2, file=sys.stderr)
sys.stdout.flush()
os.system("echo 3; wc -l <all >&2")
print(4)`;
  const shell = new Shell();
  shell.fs.writeFile("/app/order.py", new TextEncoder().encode(program));
  equal(await shell.out("python3 order.py >all 2>&1; cat all"), "1\n2\n3\n2\n4\n");
  equal(await shell.out("python3 order.py 2>&1 | cat"), "1\n2\n3\n5\n4\n");
});

Deno.test("a program that could only read what waits for its end fails, and says so", async () => {
  const { stdout, stderr } = await new Shell().run(
    "coproc node -e 'process.stdin.resume()'; echo hi >&${COPROC[1]}; read -r x <&${COPROC[0]}; echo \"$?$x\"",
  );
  equal(stdout, "1\n");
  match(stderr, /^node: what it reads would come of something that waits for its end$/m);
});

Deno.test("a stop ends a program and all of its pipe, and variables stay", async () => {
  const shell = new Shell();
  for (
    const pipe of [
      "yes | python3 -c 'import sys\nfor l in sys.stdin: pass'",
      "python3 -c 'while True: print(1)' | while read -r l; do :; done",
      "while :; do :; done | python3 -c 'input()'",
      "sleep 60 | python3 -c 'input()'",
      "python3 -c 'while True: print(1)' | while :; do :; done",
    ]
  ) {
    await shell.out("kept=yes");
    const { outcome } = await shell.runStopped(pipe, 300);
    equal(outcome.status, "stopped", pipe);
    equal(await shell.out("echo $kept"), "yes\n", pipe);
  }
});

Deno.test("a time-out of a program's command is none for the shell that the program prints to", async () => {
  const program = `import subprocess
try: subprocess.run("yes", shell=True, timeout=0.2)
except subprocess.TimeoutExpired: print("late")`;
  const shell = new Shell();
  shell.fs.writeFile("/app/late.py", new TextEncoder().encode(program));
  equal(await shell.out("python3 late.py | grep -v y; echo $?"), "late\n0\n");
});

Deno.test("what ends the shell while it works for a program ends the script", async () => {
  // Less than what a command may take as a whole.
  const shell = new Shell({ memoryBytes: 80 << 20 });
  const script = `python3 -c 'while True: print("x" * 2**16)' | sort`;
  equal((await shell.run(script)).outcome.status, "out_of_memory");
  equal(
    (await shell.run("while :; do echo; done | python3 -c 'import sys; sys.stdin.read()'", {
      fuelBudget: 50_000_000,
    })).outcome.status,
    "out_of_fuel",
  );
  equal(await shell.out("echo on"), "on\n");
});
