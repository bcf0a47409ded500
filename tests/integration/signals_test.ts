/** Signals that programs of the shell get from others, and what they make of them. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

let sessions = 0;
async function inSession(
  language: "python" | "javascript" | "bash",
  ...codes: string[]
): Promise<Awaited<ReturnType<Awaited<ReturnType<typeof sharedServer>>["run"]>>> {
  const server = await sharedServer();
  const session_id = `signals_${++sessions}`;
  let last;
  for (const code of codes) last = await server.run(language, code, { session_id, timeout: 30 });
  await server.call("destroy_session", { session_id });
  return last!;
}

/** Programs that say "up", what they are sent then, and what they print on with how they end. */
const PYTHON: readonly [code: string, signals: readonly string[], end: string][] = [
  [
    "import time\nrunning = True\ndef stop(n, f):\n global running\n print('got', n)\n running = False\n" +
    "signal.signal(signal.SIGTERM, stop)\nprint('up')\nwhile running: time.sleep(.1)\nprint('clean')",
    ["SIGTERM"],
    "('got 15\\nclean\\n', 0)",
  ],
  ["import time\nprint('up')\ntime.sleep(30)", ["SIGTERM"], "('', -15)"],
  [
    "import time\nprint('up')\ntry: time.sleep(30)\nexcept KeyboardInterrupt: print('interrupted')",
    ["SIGINT"],
    "('interrupted\\n', 0)",
  ],
  [
    "import time\nprint('up')\ntry: time.sleep(30)\nfinally: print('cleanup')",
    ["SIGINT"],
    "('cleanup\\n', -2)",
  ],
  [
    "class Stop(Exception): pass\ndef stop(*_): raise Stop('now')\nsignal.signal(signal.SIGHUP, stop)\nprint('up')\n" +
    "try:\n  while True: pass\nexcept Stop as e: print('stopped', e)",
    ["SIGHUP"],
    "('stopped now\\n', 0)",
  ],
  [
    "f = lambda n: n if n < 2 else f(n - 1) + f(n - 2)\nsignal.signal(signal.SIGUSR1, lambda *_: exit(9))\nprint('up')\nf(90)",
    ["SIGUSR1"],
    "('', 9)",
  ],
  [
    "signal.signal(signal.SIGINT, signal.SIG_IGN)\nsignal.signal(signal.SIGTERM, lambda *_: exit(7))\nprint('up')\ninput()",
    ["SIGINT", "SIGTERM"],
    "('', 7)",
  ],
  [
    "import time\nn = 0\ndef count(*_):\n global n\n n += 1\nsignal.signal(signal.SIGUSR1, count)\nbegun = time.monotonic()\n" +
    "print('up')\ntime.sleep(.3)\nprint(n > 0, time.monotonic() - begun >= .3)",
    ["SIGUSR1", "SIGUSR1"],
    "('True True\\n', 0)",
  ],
  [
    "signal.signal(signal.SIGUSR2, lambda *_: print('heard'))\nprint('up')\nsignal.pause()",
    ["SIGUSR2"],
    "('heard\\n', 0)",
  ],
  [
    "import threading\nstop = threading.Event()\nsignal.signal(signal.SIGTERM, lambda *_: stop.set())\nprint('up')\n" +
    "stop.wait()\nprint('stopped')",
    ["SIGTERM"],
    "('stopped\\n', 0)",
  ],
  [
    "import asyncio\nasync def main():\n stop = asyncio.Event()\n" +
    " asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)\n print('up')\n await stop.wait()\n" +
    " print('stopped')\nasyncio.run(main())",
    ["SIGTERM"],
    "('stopped\\n', 0)",
  ],
  [
    "import atexit, sys\nfrom http.server import *\nserver = HTTPServer(('', 4571), BaseHTTPRequestHandler)\n" +
    "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\natexit.register(print, 'bye')\nprint('up')\n" +
    "try: server.serve_forever()\nfinally: print('closing')",
    ["SIGTERM"],
    "('closing\\nbye\\n', 0)",
  ],
  // What it ignores ends it no less where it is killed.
  [
    "import time\nfor each in (1, 2, 15): signal.signal(each, signal.SIG_IGN)\nprint('up')\nwhile True: time.sleep(1)",
    ["SIGHUP", "SIGINT", "SIGTERM", "SIGKILL"],
    "('', -9)",
  ],
  // More than may wait are dropped, as on Linux, where one of each kind waits.
  [
    "import time\nsignal.signal(signal.SIGUSR1, lambda *_: None)\nsignal.signal(signal.SIGTERM, lambda *_: exit(3))\n" +
    "print('up')\nwhile True: time.sleep(1)",
    [...Array.from({ length: 60 }, () => "SIGUSR1"), "SIGTERM"],
    "('', 3)",
  ],
];

Deno.test(`[${UNDER_TEST}] what Python's programs handle does not end them, wherever they are, and all else does`, async () => {
  const code = `
import signal, subprocess, sys
for code, signals, _ in ${JSON.stringify(PYTHON)}:
    process = subprocess.Popen([sys.executable, "-uc", "import signal\\n" + code], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout.readline() == "up\\n"
    for each in signals: process.send_signal(getattr(signal, each))
    print((process.stdout.read(), process.wait(5)))`;
  const { stdout, error } = await inSession("python", code);
  assert.equal(error, null, `${stdout}\n${error?.traceback}`);
  assert.deepEqual(stdout.trimEnd().split("\n"), PYTHON.map(([, , end]) => end.replaceAll("\\\\", "\\")));
});

Deno.test(`[${UNDER_TEST}] scripts end programs of theirs in the way that these want to end`, async () => {
  const { stdout, stderr } = await inSession(
    "bash",
    `cat > daemon.py <<'P'
import signal, sys, time
def stop(number, frame):
    print("got", signal.Signals(number).name, flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
print("up", flush=True)
while True: time.sleep(0.1)
P
cat > server.js <<'P'
const server = require("http").createServer((request, response) => response.end("hello\\n"));
process.on("SIGTERM", () => { console.log("closing"); server.close(() => { console.log("closed"); process.exit(0); }); });
server.listen(4572);
P
up() { until grep -q up out; do sleep 0.05; done; }
python3 daemon.py > out & up; kill $!; wait $!; echo "$? $(tail -1 out)"
node server.js & pid=$!
curl -s --retry 9 --retry-connrefused localhost:4572; kill -TERM $pid; wait $pid; echo $?
timeout 0.5 python3 daemon.py; echo $?
timeout --preserve-status 0.5 python3 daemon.py; echo $?
timeout 0.5 node server.js; echo $?
timeout -s INT 0.3 python3 -c "
import time
try: time.sleep(9)
except KeyboardInterrupt: print('interrupted')"; echo $?
timeout -k 0.3 0.3 python3 -c "
import signal, time
signal.signal(15, signal.SIG_IGN)
time.sleep(9)"; echo $?
timeout 0.3 python3 -c "import time; time.sleep(9)"; echo $?
timeout 5 python3 -c "print(input())" <<< 'in time'; echo $?`,
  );
  const ends = [
    "0 got SIGTERM",
    "hello\nclosing\nclosed\n0",
    "up\ngot SIGTERM\n124",
    "up\ngot SIGTERM\n0",
    "closing\nclosed\n124",
    "interrupted\n124",
    "137",
    "124",
    "in time\n0",
  ];
  assert.equal(stdout, `${ends.join("\n")}\n`, stderr);
});

Deno.test(`[${UNDER_TEST}] a server of node closes where its parent ends it, and one that does not listen for that ends`, async () => {
  const { stdout, error } = await inSession(
    "javascript",
    `
const { spawn } = require("child_process");
for (const own of ["process.on('SIGTERM', () => { console.log('closing'); server.close(); });", ""]) {
  const server = spawn("node", ["-e", own + "const server = require('http').createServer().listen(4573, () => console.log('up'))"]);
  server.stdout.on("data", (data) => {
    console.log(String(data).trim());
    if (String(data) === "up\\n") server.kill();
  });
  console.log(await new Promise((resolve) => server.on("close", (...end) => resolve(end))));
}`,
  );
  assert.equal(stdout, "up\nclosing\n[ 0, null ]\nup\n[ null, 'SIGTERM' ]\n", error?.traceback);
});

Deno.test(`[${UNDER_TEST}] what ignores every signal ends with its call's time, or goes on beside later ones until it is killed`, async () => {
  const server = await sharedServer();
  const session_id = `signals_${++sessions}`;
  const STUBBORN = "import signal, time\nfor each in (1, 2, 15): signal.signal(each, signal.SIG_IGN)\n";
  const run = (code: string, timeout = 30) => server.run("bash", code, { session_id, timeout });
  const late = await run(`python3 -c '${STUBBORN}while True: pass'`, 1);
  assert.equal(late.status, "timeout");
  const alone = await run(
    `nohup python3 -c '${STUBBORN}import http.server\nhttp.server.test(port=4574)' > /dev/null 2>&1 & sleep 0.3; kill $!; echo sent`,
  );
  assert.equal(alone.stdout, "sent\n", alone.stderr);
  const asked = await run(
    "curl -s -o /dev/null -w '%{http_code}\\n' localhost:4574; pkill -9 -f http.server; sleep 0.1; jobs; echo over",
  );
  assert.equal(asked.stdout, "501\nover\n", asked.stderr);
  await server.call("destroy_session", { session_id });
});

Deno.test(`[${UNDER_TEST}] scripts, programs and processes have the numbers that they are known by`, async () => {
  const { stdout, stderr } = await inSession(
    "bash",
    `cat > daemon.sh <<'S'
echo $$ > daemon.pid
trap 'echo ended' EXIT
while :; do sleep 0.05; done
S
there() { until [ -s "$1" ]; do sleep 0.02; done; }
bash daemon.sh & there daemon.pid; [ "$(cat daemon.pid)" = $! ] && echo same
kill "$(cat daemon.pid)"; wait $!; echo $?
python3 -c "
import os, time
open('own.pid', 'w').write(str(os.getpid()))
time.sleep(30)" & there own.pid; [ "$(cat own.pid)" = $! ] && echo same
kill "$(cat own.pid)"; wait $!; echo $?
node -e "require('fs').writeFileSync('node.pid', String(process.pid)); setTimeout(() => {}, 30000)" & there node.pid
python3 -c "import os; os.kill(int(open('node.pid').read()), 9)"; wait $!; echo $?
[ "$(bash -c 'echo $PPID')" = $$ ] && [ "$(bash -c 'echo $$')" != $$ ] && echo differs
python3 -c "
import os, subprocess
p = subprocess.Popen(['python3', '-c', 'import os; print(os.getpid(), os.getppid())'], stdout=-1, text=True)
q = subprocess.Popen(['sh', '-c', 'echo \\$\\$'], stdout=-1, text=True)
print(int(p.communicate()[0].split()[0]) == p.pid, int(q.communicate()[0]) == q.pid, os.getpid() not in (p.pid, q.pid))
try: os.kill(999999, 15)
except ProcessLookupError: print('nobody')"
(sleep .1; exit 3) & p=$!; wait -n; wait $p; echo $?`,
  );
  const lines = ["same", "ended", "143", "same", "143", "137", "differs", "True True True", "nobody", "3"];
  assert.equal(stdout, `${lines.join("\n")}\n`, stderr);
});
