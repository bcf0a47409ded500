import { equal, match, ok } from "node:assert/strict";
import { Shell } from "./harness.ts";

/** Each ends in its own time with an error of the shell's, and leaves a shell that works. */
for (
  const [what, script] of [
    ["a function that calls itself", "f(){ f; }; f"],
    [
      "substitutions within substitutions",
      `x='echo 1'; for i in $(seq 3000); do x="echo \\$($x)"; done; eval "$x"`,
    ],
    ["a function that substitutes itself", "g() { echo $(g); }; g"],
    [
      "a function of awk's that calls itself",
      "awk 'function f(n) { return 1 + f(n + 1) } BEGIN { print f(0) }'",
    ],
    [
      "a function of awk's that calls itself in loops",
      "awk 'function f(n) { while (n >= 0) { if (n) { n += f(n + 1) } else n += f(1) } } BEGIN { f(0) }'",
    ],
    ["a filter of jq's that uses itself", "jq -n 'def f: (. + 1 | f) + 1; 0 | f'"],
    ["a filter of jq's that collects itself", "jq -n 'def f: [. + 1 | f]; 0 | f'"],
    [
      "a module of jq's that includes itself",
      "echo 'include \"./m\"; def a: 1;' > m.jq; jq -n 'include \"./m\"; a'",
    ],
    [
      "a program of awk's that includes itself",
      "echo '@include \"m.awk\"' > m.awk; awk -f m.awk -f nothing.awk",
    ],
    ["a string that doubles", "x=a; while :; do x=$x$x; done"],
    ["a Perl pattern that backtracks", "printf 'a%.0s' $(seq 40) | grep -P '^(?=a)(a+)+b'"],
    ["a script that runs itself", "echo 'bash s.sh' > s.sh; bash s.sh"],
    ["a file that sources itself", "echo 'source s.sh' > s.sh; source s.sh"],
    ["parentheses 5,000 deep", `eval "$(printf '(%.0s' $(seq 5000))$(printf ')%.0s' $(seq 5000))"`],
    ["a symlink loop", "ln -s a b; ln -s b a; cat a"],
    ["a power tower", "echo '9^99999999' | bc"],
    ["a function of bc's that calls itself", "printf 'define f(x) { return f(x + 1) }\\nf(1)\\n' | bc"],
    ["parentheses 5,000 deep in bc", "{ printf '(%.0s' $(seq 5000); echo 1; } | bc"],
    ["a scale of a billion", "echo 'scale = 10 ^ 9; 1 / 3' | bc"],
    ["a macro of dc's that calls itself", "dc -e '[lax1p]salax'"],
    ["a number of dc's without end", "dc -e '9 9 9 9 ^ ^ ^ p'"],
    ["a word of 200 MB", "printf '%200000000d' 1 > /dev/null"],
  ] as const
) {
  Deno.test(`${what} ends as an error`, async () => {
    const shell = new Shell();
    const ran = await shell.runStopped(script, 8000);
    ok(
      ran.exitCode !== undefined && ran.exitCode !== 0,
      `${JSON.stringify(ran.outcome)} ${ran.stderr.slice(0, 300)}`,
    );
    equal(await shell.out("echo well"), "well\n");
  });
}

for (
  const [what, script] of [
    ["a hundred thousand slashes", `tar tf a.tar "$(printf '%0100000d' 0 | tr 0 /)x"`],
    ["a hundred thousand operands", "tar tf a.tar $(seq 100000)"],
    ["as many to come after --", "tar tf a.tar -- $(seq 100000)"],
    ["a hundred thousand @", `npx "$(printf '%0100000d' 0 | tr 0 @)/x"`],
  ] as const
) {
  Deno.test(`${what} as arguments take no time`, async () => {
    const shell = new Shell();
    await shell.out("echo a > a; tar cf a.tar a");
    const { outcome } = await shell.runStopped(`${script}; true`, 8000);
    equal(outcome.status, "completed");
  });
}

Deno.test("more arguments than Linux takes are refused, and nothing is lost", async () => {
  const shell = new Shell();
  await shell.out("x=$(printf '%01000000d' 0); x=$x$x$x$x$x$x");
  for (const args of ["$(seq 300000)", "$x $x $x", `"$(printf '%0200000d' 0)"`]) {
    const { exitCode, stderr } = await shell.run(`kept=1; python3 -c 'print(1)' ${args}`);
    equal(exitCode, 126);
    match(stderr, /^bash: (python3: )?Argument list too long\n$/);
  }
  equal(await shell.out("echo $kept"), "1\n");
});

Deno.test("a dump whose line never ends as one is read in no time", async () => {
  const shell = new Shell();
  await shell.out(`python3 -c "open('d', 'wb').write(b'0: 61' + b' ' * 15_000_000 + b'\\rx')"`);
  const { outcome, stdout } = await shell.runStopped("xxd -r d", 8000);
  equal(`${outcome.status} ${stdout}`, "completed a");
});

for (
  const [what, script] of [
    ["a brace expansion of a billion words", "echo {1..1000}{1..1000}{1..1000} | wc -c"],
    ["a list that awk makes", "awk 'BEGIN { while (1) a[n++] = n }'"],
  ] as const
) {
  Deno.test(`${what} ends for want of memory, and the shell as it was before is there again`, async () => {
    const shell = new Shell();
    await shell.out("kept=1");
    shell.runtime.beginCapture().commit();
    const { outcome } = await shell.runStopped(script, 20_000);
    equal(`${outcome.status} ${outcome.heap}`, "out_of_memory discarded");
    shell.runtime.rollback();
    equal(await shell.out("echo $kept"), "1\n");
  });
}

/** Each goes on for ever, and is stopped with the shell's variables kept. */
for (
  const [what, script] of [
    ["while true", "while true; do :; done"],
    ["until false", "until false; do x=$((x + 1)); done"],
    ["for ((;;))", "for ((;;)); do :; done"],
    ["a loop whose errors are swallowed", "while :; do ls nope; cat nope; done 2>/dev/null || :"],
    ["a fork bomb", ":(){ :|:& };:"],
    ["a seq", "seq 1 1000000000000 > /dev/null"],
    ["a loop below a substitution", "x=$(while :; do :; done)"],
    ["a loop in a trap", "trap 'while :; do :; done' EXIT; exit 0"],
    ["sleep", "sleep 1000"],
    ["awk", "awk 'BEGIN { while (1) x++ }'"],
    ["bc", "echo 'while (1) x++' | bc"],
    ["bc with a reader", "echo 'while (1) 1' | bc | tail -n 1"],
    ["sed", "echo a | sed ':a; s/a/a/; ta'"],
    ["xargs", "yes | xargs -n1 true"],
    ["xz", "yes | xz | wc -c"],
    ["find", "mkdir -p d/{1..9}; while :; do find . -name x; done"],
    ["python", "python3 -c 'while True: pass'"],
    ["node", "node -e 'for (;;);'"],
    ["timeout without end", "timeout 0 bash -c 'while :; do :; done'"],
  ] as const
) {
  Deno.test(`${what} without end is interrupted, and variables stay`, async () => {
    const shell = new Shell();
    await shell.out("kept=1");
    const { outcome } = await shell.runStopped(script, 60);
    equal(`${outcome.status} ${outcome.heap}`, "stopped kept");
    equal(await shell.out("echo $kept"), "1\n");
  });
}

Deno.test("timeout ends what takes too long, and only that", async () => {
  const shell = new Shell();
  const { stdout, exitCode } = await shell.run(
    "timeout 0.05 sleep 100; echo $?; timeout 5 echo in time; timeout 0.05 bash -c 'while :; do :; done'",
  );
  equal(stdout, "124\nin time\n");
  equal(exitCode, 124);
});

Deno.test("there is no network and nothing of the host", async () => {
  const shell = new Shell();
  for (
    const command of [
      "curl http://127.0.0.1",
      "wget x",
      "nc -l 1",
      "cat /etc/shadow",
      "cat /proc/1/environ",
      "js-exec -c 1",
      "echo x > /dev/tcp/127.0.0.1/80",
      "cat < /dev/tcp/127.0.0.1/80",
    ]
  ) ok((await shell.run(command)).exitCode !== 0, command);
});

Deno.test("names of JavaScript's own are names like any other", async () => {
  const shell = new Shell();
  equal(
    await shell.out(
      "__proto__=1; constructor=2; toString() { echo f; }; declare -A m=([__proto__]=3); " +
        "toString; echo $__proto__ $constructor ${m[__proto__]} $hasOwnProperty",
    ),
    "f\n1 2 3\n",
  );
  equal((await shell.run("valueOf")).exitCode, 127);
  equal(await shell.out("mkdir __proto__; echo a > __proto__/constructor; cat __proto__/constructor"), "a\n");
});
