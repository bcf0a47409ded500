/** Programs of a pipeline work side by side: each goes on as far as what it reads has come, and what it prints is read. */

import { equal, match, ok } from "node:assert/strict";
import { Shell } from "./harness.ts";

const ENDLESS = `python3 -c 'while True: print("y")'`;
/** Prints so many MiB. */
const large = (mib: number) =>
  `python3 -c 'import sys\nfor _ in range(${mib}): sys.stdout.write("x" * (2**20 - 1) + "\\n")'`;
const COPY = `python3 -c 'import sys\nwhile d := sys.stdin.buffer.read1(): sys.stdout.buffer.write(d)'`;
const COUNT = `python3 -c 'import sys\nn = 0\nwhile d := sys.stdin.buffer.read1(): n += len(d)\nprint(n)'`;
const STATUS = `echo "\${PIPESTATUS[@]}"`;

/** How much garbage there is says how busy the machine is. */
const collect = () => (globalThis as unknown as { gc(): void }).gc();
const resident = () => {
  collect();
  return Deno.memoryUsage().rss / 2 ** 20;
};

Deno.test("a program that prints for ever ends with the program that reads it", async () => {
  const shell = new Shell();
  const three = `python3 -c 'import sys; [print(next(sys.stdin), end="") for _ in range(3)]'`;
  equal(await shell.out(`${ENDLESS} | ${three}; ${STATUS}`), "y\ny\ny\n141 0\n");
  equal(await shell.out(`${ENDLESS} | ${COPY} | ${COPY} | head -n 1; ${STATUS}`), "y\n141 141 141 0\n");
  equal(await shell.out(`${ENDLESS} | ${COPY} | node -e ''; ${STATUS}`), "141 141 0\n");
});

Deno.test("what programs hand on to each other has no bound, and takes none of the memory", async () => {
  const shell = new Shell();
  equal(await shell.out(`${large(1)} | ${COPY} | ${COUNT}`), `${2 ** 20}\n`);
  const before = resident();
  equal(await shell.out(`${large(400)} | ${COPY} | ${COUNT}; ${STATUS}`), `${400 * 2 ** 20}\n0 0 0\n`);
  ok(resident() - before < 190, `${resident() - before} MiB more`);
});

Deno.test("each line goes through all programs before the next one is printed", async () => {
  const shell = new Shell();
  const first = `python3 -uc '
import os, time
for n in range(3):
    print(n)
    while not os.path.exists(f"read{n}"): time.sleep(0.001)
print("all")'`;
  const last = `python3 -c '
import sys
for line in sys.stdin: print(line, end=""); open("read" + line.strip(), "w")'`;
  const middle = `python3 -c 'import sys\nfor line in sys.stdin: print(line, end="", flush=True)'`;
  equal(await shell.out(`${first} | ${middle} | ${last}`), "0\n1\n2\nall\n");
});

Deno.test("a program that can't run beside others is fed by those that can, and feeds them", async () => {
  const shell = new Shell();
  const count =
    `node -e 'let n = 0; process.stdin.on("data", (d) => n += d.length).on("end", () => console.log(n))'`;
  equal(await shell.out(`${large(100)} | ${count}`), `${100 * 2 ** 20}\n`);
  const print = `node -e 'for (let i = 0; i < 100; i++) process.stdout.write("a".repeat(2 ** 20))'`;
  equal(await shell.out(`${print} | ${COPY} | ${COUNT}`), `${100 * 2 ** 20}\n`);
  equal(await shell.out(`seq 1000 | ${COPY} | gzip | ${COPY} | gunzip | ${COUNT}`), "3893\n");
});

Deno.test("each of them ends as it ends by itself", async () => {
  const shell = new Shell();
  const { stdout, stderr } = await shell.run(
    `${COPY} </dev/null | python3 -c 'raise SystemExit(3)' | python3 -c '1/0' | python3 -c 'import os; os.abort()' | ${COPY}; ${STATUS}`,
  );
  equal(stdout, "0 3 1 134 0\n");
  match(stderr, /ZeroDivisionError: division by zero/);
  match(stderr, /the interpreter aborted/);
  equal(await shell.out(`seq 3 | python3 -c 'print(1); 1/0' 2>/dev/null | ${COPY}; ${STATUS}`), "1\n0 1 0\n");
});

Deno.test("more programs than can work beside each other have their turns", async () => {
  const many = Array.from({ length: 40 }, () => COPY).join(" | ");
  equal(await new Shell().out(`seq 3 | ${many}`), "1\n2\n3\n");
});

Deno.test("code that a program reads comes down a pipe too", async () => {
  const shell = new Shell();
  equal(await shell.out(`echo 'print("print(6 * 7)")' | python3 | python3 | ${COPY}`), "42\n");
  equal(
    await shell.out("python3 - <<'A' | python3 - <<'B'\nprint(1)\nA\nprint(2)\nB"),
    "2\n",
  );
});

Deno.test("input that a program beside another one does not read is there for what comes after it", async () => {
  equal(
    await new Shell().out(
      `python3 -c 'print("a\\nb")' | (python3 -c 'print("-")'; python3 -c 'print(*open(0))')`,
    ),
    "-\na\n b\n\n",
  );
});

Deno.test("threads of a program beside another one wait for its input, and for room", async () => {
  const program = `import queue, sys, threading
lines = queue.Queue(1)
def read():
    for line in sys.stdin: lines.put(line)
    lines.put(None)
threading.Thread(target=read).start()
while (line := lines.get()) is not None: print(line * 10**5, end="")`;
  const shell = new Shell();
  shell.fs.writeFile("/app/threads.py", new TextEncoder().encode(program));
  equal(
    await shell.out(`python3 -c 'print("x\\n" * 20, end="")' | python3 threads.py | ${COUNT}`),
    `${40 * 10 ** 5}\n`,
  );
});

Deno.test("a program talks with a coprocess", async () => {
  const script = `coproc python3 -c 'import sys\nfor line in sys.stdin: print(int(line) * 2, flush=True)'
for n in 1 2 3; do python3 -c "print($n)" >&\${COPROC[1]}; read -r x <&\${COPROC[0]}; echo "$x"; done`;
  equal(await new Shell().out(script), "2\n4\n6\n");
});

Deno.test("commands of a program beside another one print where it prints, in their order", async () => {
  const program = `import os, subprocess
print(1)
os.system("echo 2; echo 3 >&2; wc -l <all >&2")
print(subprocess.run("seq 4 | python3 -c 'print(*open(0))' | python3 -c 'print(len(input()))'", shell=True, capture_output=True, text=True).stdout, end="")
subprocess.run("python3 -c 'print(input())'", shell=True, input=b"5")
print(input())`;
  const shell = new Shell();
  shell.fs.writeFile("/app/order.py", new TextEncoder().encode(program));
  equal(
    await shell.out(`python3 -c 'print("6")' | python3 order.py >all 2>&1; cat all`),
    "1\n2\n3\n1\n1\n5\n6\n",
  );
  equal(
    await shell.out(`: >all; python3 -c 'print("6")' | python3 order.py 2>/dev/null | ${COPY}`),
    "1\n2\n1\n5\n6\n",
  );
});

Deno.test("two programs that append to one file lose nothing of it", async () => {
  const shell = new Shell();
  const append = `python3 -c 'for n in range(20000): print(n)' >>both`;
  await shell.out(`${append} & ${append} & python3 -c 'print(input())' <<<x >>both & wait`);
  equal(await shell.out("sort both | uniq -c | awk '{print $1}' | sort | uniq -c"), "      1 1\n  20000 2\n");
});

Deno.test("programs beside each other take of one purse", async () => {
  const shell = new Shell();
  const burn = "python3 -c 'import sys\nfor line in sys.stdin: sum(range(10**5))\nwhile True: pass'";
  const ran = await shell.run(`${ENDLESS} | ${burn} | ${burn}`, { fuelBudget: 300_000_000 });
  equal(ran.outcome.status, "out_of_fuel");
  ok(ran.outcome.fuelConsumed < 350_000_000, `${ran.outcome.fuelConsumed}`);
  equal(await shell.out("echo on"), "on\n");
});

Deno.test("a stop ends all programs of a pipe wherever they are, and variables stay", async () => {
  const shell = new Shell();
  for (
    const pipe of [
      `${ENDLESS} | ${COPY} | ${COPY} >/dev/null`,
      `${ENDLESS} | python3 -c 'while True: pass'`,
      `${ENDLESS} | python3 -c 'import time; time.sleep(60)'`,
      `python3 -c 'while True: pass' | ${COPY} | ${COPY}`,
      `sleep 60 | ${COPY} | ${COPY}`,
      `node -e 'for (;;) console.log(1)' | ${COPY} | ${COPY} >/dev/null`,
      `${ENDLESS} | ${COPY} | while :; do :; done`,
      `${ENDLESS} | python3 -c 'import os; os.system("while :; do :; done")'`,
    ]
  ) {
    await shell.out("kept=yes");
    const { outcome } = await shell.runStopped(pipe, 400);
    equal(outcome.status, "stopped", pipe);
    equal(outcome.heap, "kept", pipe);
    equal(await shell.out(`echo $kept; echo 1 | ${COPY} | ${COPY}`), "yes\n1\n", pipe);
  }
});

Deno.test("a script that ends without its programs leaves nothing of them", async () => {
  const shell = new Shell();
  const script =
    `set -e; ${ENDLESS} | ${COPY} | ${COPY} | head -n 1 >/dev/null; exec 3< <(echo); ${COPY} </dev/null | false`;
  const holds =
    `python3 -c 'import sys; f = open("gone", "w"); f.write("x" * 10**6); f.flush(); import os; os.unlink("gone"); \nfor line in sys.stdin: print(line)'`;
  await shell.run(script);
  const used = shell.fs.usage.bytes;
  const before = resident();
  for (let n = 0; n < 15; n++) {
    equal(await shell.out(`${ENDLESS} | ${COPY} | head -n 1`), "y\n");
    await shell.run(`${ENDLESS} | ${holds} | exit 3`);
    if (n % 10 === 0) collect();
  }
  equal(shell.fs.usage.bytes, used);
  ok(resident() - before < 110, `${resident() - before} MiB more`);
});

Deno.test("a program in the background sleeps as long as it says each time", async () => {
  const shell = new Shell();
  const ticks =
    `python3 -c 'import time\nbegun = time.monotonic()\nfor n in range(4): time.sleep(0.1)\nprint(time.monotonic() - begun >= 0.4)'`;
  equal(await shell.out(`${ticks} & wait`), "True\n");
});

Deno.test("a loop of the shell in the background keeps no program waiting", async () => {
  const shell = new Shell();
  equal(
    await shell.out(
      `while :; do :; done & python3 -c 'print(1)'; python3 -c 'print(2)' | cat; kill %1; echo 3`,
    ),
    "1\n2\n3\n",
  );
});
