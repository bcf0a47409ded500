/** Servers that a script leaves running: later scripts of the session ask them. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";
import { StoredServers } from "../support/stored_server.ts";

const SERVER = `cat > app.py <<'X'
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
asked = 0
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        global asked
        asked += 1
        self.send_response(200); self.end_headers()
        self.wfile.write(f"{self.path} {asked}\\n".encode())
    def log_message(self, form, *args):
        print(form % args, file=sys.stderr, flush=True)
HTTPServer(("127.0.0.1", 8001), Handler).serve_forever()
X
`;

const NODE_SERVER = `cat > server.js <<'X'
const http = require("http");
let asked = 0;
http.createServer((request, response) => response.end(\`node \${++asked}\\n\`)).listen(3000, () => console.log("listening"));
X
`;

let sessions = 0;

type Server = Awaited<ReturnType<typeof sharedServer>>;
type Options = { readonly language?: Parameters<Server["run"]>[0] } & Record<string, unknown>;

/** Calls in one session: by default of the shell. */
async function session(
  work: (
    run: (code: string, more?: Options) => ReturnType<Server["run"]>,
    name: string,
    server: Server,
  ) => Promise<void>,
): Promise<void> {
  const server = await sharedServer();
  const session_id = `left_${++sessions}`;
  const run = (code: string, { language = "bash", ...more }: Options = {}) =>
    server.run(language, code, { session_id, ...more });
  await work(run, session_id, server);
  await server.call("destroy_session", { session_id });
}

Deno.test(`[${UNDER_TEST}] a server that one script has started is asked by the next ones, until one ends it`, async () => {
  await session(async (run) => {
    const begun = await run(`${SERVER}nohup python3 app.py > server.log 2>&1 &\n`);
    assert.deepEqual([begun.stdout, begun.stderr], ["", ""]);
    assert.match(begun.notice ?? "", /A background job goes on/);
    const asked = await run("curl -s localhost:8001/a; curl -s localhost:8001/b; jobs | grep -c app.py");
    assert.equal(asked.stdout, "/a 1\n/b 2\n1\n", asked.stderr);
    assert.equal(asked.notice, null);
    const log = await run("curl -s localhost:8001/c; wait; grep GET server.log; echo 'wait does not hang'");
    assert.match(
      log.stdout,
      /^\/c 3\n"GET \/a .*\n"GET \/b .*\n"GET \/c .*\nwait does not hang\n$/,
      log.stderr,
    );
    const ended = await run("pkill python3; sleep 0.1; curl -s localhost:8001; echo $?; jobs");
    assert.equal(ended.stdout, "7\n", ended.stderr);
  });
});

Deno.test("what a script has left is reached by the session's Python and JavaScript, and by what these start", async () => {
  await session(async (run) => {
    await run(`${SERVER}python3 app.py 2>/dev/null &\n`);
    const python = await run(
      `import subprocess, urllib.request
print(urllib.request.urlopen("http://localhost:8001/python").read())
print(subprocess.run(["curl", "-s", "localhost:8001/curl"], capture_output=True, text=True).stdout)
child = "import urllib.request as u; print(u.urlopen('http://localhost:8001/child').read())"
print(subprocess.run(["python3", "-c", child], capture_output=True, text=True).stdout)`,
      { language: "python" },
    );
    assert.equal(python.stdout, "b'/python 1\\n'\n/curl 2\n\nb'/child 3\\n'\n\n", python.error?.traceback);
    const javascript = await run(
      "const answer = await fetch('http://localhost:8001/javascript'); await answer.text()",
      { language: "javascript" },
    );
    assert.deepEqual([javascript.result, javascript.notice], ["'/javascript 4\\n'", null]);
    // One that has gone is refused, and a connection to it breaks.
    const kept = "import http.client\none = http.client.HTTPConnection('localhost', 8001)\none.connect()";
    assert.equal((await run(kept, { language: "python" })).status, "completed");
    await run("kill %1");
    const gone = await run("one.request('GET', '/')\none.getresponse()", { language: "python" });
    assert.equal(gone.status, "failed");
    const refused = await run("urllib.request.urlopen('http://localhost:8001')", { language: "python" });
    assert.match(refused.error?.message ?? "", /refused/);
  });
});

Deno.test("servers go on in whatever way they were sent to the background", async () => {
  await session(async (run) => {
    await run(`${NODE_SERVER}node server.js > /dev/null & disown`);
    assert.equal((await run("curl -s localhost:3000; jobs")).stdout, "node 1\n");
    await run("pkill -f server.js; mkdir there; cd there; (python3 -m http.server 8002 > /dev/null 2>&1 &)");
    await run("setsid python3 -m http.server 8003 > /dev/null 2>&1 < /dev/null &");
    await run("start() { python3 -m http.server 8004 & echo $! > pid; }; start > log 2>&1");
    await run("pid=$(python3 -m http.server 8005 > /dev/null 2>&1 & echo $!)");
    const started = await run(
      "echo 'python3 -m http.server 8006 > /dev/null 2>&1 & echo up' > start.sh; bash start.sh 2>&1 | tail -1",
    );
    assert.equal(started.stdout, "up\n");
    const { stdout, stderr } = await run(
      `for port in 8002 8003 8004 8005 8006; do curl -so /dev/null -w '%{http_code}\\n' localhost:$port; done
kill $(cat pid) $pid; sleep 0.1; curl -s localhost:8004; echo $?`,
    );
    assert.equal(stdout, "200\n200\n200\n200\n200\n7\n", stderr);
  });
});

Deno.test("npm start in the background serves, with the script's own head and environment", async () => {
  await session(async (run) => {
    await run(`${NODE_SERVER}npm init -y > /dev/null; npm pkg set scripts.start='NAME=x node server.js'`);
    const begun = await run("npm start &");
    assert.match(begun.stdout, /> NAME=x node server\.js\n\nlistening\n/);
    assert.equal(
      (await run("curl -s localhost:3000; yarn -s start > log 2>&1 & wait %2; grep -c EADDRINUSE log"))
        .stdout,
      "node 1\n2\n",
    );
  });
});

Deno.test("what a program's own commands leave goes on, and what a program starts, and is reached by later calls", async () => {
  await session(async (run) => {
    const started = await run(`import os\nos.system("python3 -m http.server 8002 > /dev/null 2>&1 &")`, {
      language: "python",
    });
    assert.match(started.notice!, /A process goes on/);
    assert.equal((await run("curl -s -o /dev/null localhost:8002; echo $?")).stdout, "0\n");
    const popen = await run(
      `import subprocess, sys\nserver = subprocess.Popen([sys.executable, "-m", "http.server", "8003"], stderr=subprocess.DEVNULL)`,
      { language: "python" },
    );
    assert.equal(popen.status, "completed");
    assert.equal((await run("curl -s -o /dev/null localhost:8003; echo $?")).stdout, "0\n");
    const ended = await run("server.poll(), server.terminate(), server.wait()", { language: "python" });
    assert.equal(ended.result, "(None, None, -15)");
    assert.equal((await run("curl -s localhost:8003; echo $?")).stdout, "7\n");
    // What npm can't read it tells of, in the background too.
    const bad = await run("echo '{' > package.json; npm start & wait $!; echo $?");
    assert.equal(bad.stdout, "1\n", bad.stderr);
  });
});

Deno.test("a call that is stopped takes its own jobs along, and not what earlier ones have left", async () => {
  await session(async (run) => {
    await run(`${NODE_SERVER}node server.js > /dev/null &`);
    const stopped = await run("python3 -m http.server 8002 & curl -s localhost:3000; sleep 100", {
      timeout: 1,
    });
    assert.deepEqual([stopped.status, stopped.state], ["timeout", "kept"]);
    assert.match(stopped.stdout, /node 1\n/);
    const after = await run("curl -s localhost:3000; curl -s localhost:8002; echo $?; jobs");
    assert.equal(after.stdout, "node 2\n7\n[1]+  Running                 node server.js &\n");
  });
});

Deno.test("a job that only sleeps is left after a while, and goes on while later calls run", async () => {
  await session(async (run) => {
    const begun = await run("while true; do echo tick >> ticks; sleep 0.3; done &\nsleep 1000 &\necho begun");
    assert.deepEqual([begun.stdout, begun.status], ["begun\n", "completed"]);
    assert.match(begun.notice ?? "", /2 background jobs go on/);
    const count = async () => Number((await run("wc -l < ticks")).stdout);
    const before = await count();
    assert.equal((await run("sleep 1; jobs | wc -l")).stdout, "2\n");
    assert.ok(await count() > before);
    assert.equal((await run("kill %1 %2; sleep 0.1; jobs")).stdout, "");
  });
});

Deno.test("a session that goes on from a checkpoint tells what was lost, and can start it again", async () => {
  await session(async (run, name, server) => {
    await run(`${SERVER}python3 app.py 2>/dev/null &\n`);
    const rolled = await run("curl -s localhost:8001/a; false", { on_failure: "rollback" });
    assert.equal(rolled.state, "rolled_back");
    assert.match(rolled.notice ?? "", /A background program of an earlier call ended/);
    const again = await run("curl -s localhost:8001; echo $?; python3 app.py 2>/dev/null &\n");
    assert.match(again.stdout, /^7\n/);
    await server.call("fork_session", { session_id: name, new_session_id: `${name}_fork` });
    const fork = await server.run("bash", "curl -s localhost:8001; echo $?; jobs", {
      session_id: `${name}_fork`,
    });
    assert.equal(fork.stdout, "7\n");
    assert.equal((await run("curl -s localhost:8001/b")).stdout, "/b 1\n");
    await server.call("destroy_session", { session_id: `${name}_fork` });
  });
});

Deno.test("jobs whose programs were lost as the session went on from a checkpoint are not taken for running", async () => {
  await session(async (run, session_id, server) => {
    await run(`${SERVER}${NODE_SERVER}python3 app.py 2>/dev/null & python=$!; node server.js & node=$!\n`);
    assert.match(
      (await run("jobs; kill -0 $python $node && echo alive")).stdout,
      /python3.*\n.*node.*\nalive\n/,
    );
    await server.call("checkpoint_session", { session_id, name: "both" });
    await server.call("restore_session", { session_id, checkpoint: "both" });
    const after = await run(
      "jobs; for pid in $python $node; do kill -0 $pid 2>/dev/null || echo gone; done; wait; jobs; python3 app.py 2>/dev/null & jobs\n",
    );
    assert.match(after.stdout, /^gone\ngone\n\[1\].*Running +python3 app\.py.*\n$/);
    assert.equal((await run("curl -s localhost:8001/b")).stdout, "/b 1\n");
  });
});

Deno.test("what was left can't hold a later call: it computes, floods, or is of too many", async () => {
  await session(async (run) => {
    await run(`cat > hog.py <<'X'
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        while True: pass
HTTPServer(("", 8001), Handler).serve_forever()
X
python3 hog.py &
while true; do echo flood; sleep 0.01; done > /dev/null &
`);
    assert.equal((await run("curl -s -m 1 localhost:8001; echo $?")).stdout, "28\n");
    assert.equal((await run("echo goes on")).stdout, "goes on\n");
    assert.equal((await run("6 * 7", { language: "python" })).result, "42");
    assert.equal((await run("kill -9 %1 %2; sleep 0.1; jobs")).stdout, "");
    const listener = "require('net').createServer().listen($port)";
    const many = await run(`for port in $(seq 9000 9019); do node -e "${listener}" & done; sleep 1`);
    assert.match(many.stderr, /16 servers run in the background, end some/);
    assert.match(many.notice ?? "", /16 background jobs go on/);
    assert.equal((await run("kill $(jobs -p); sleep 0.1; jobs; echo ended")).stdout, "ended\n");
  });
});

Deno.test("a session whose server waits stays where it is while others compute", async () => {
  await session(async (run, _name, server) => {
    await run(`${NODE_SERVER}node server.js > /dev/null &`);
    const names = ["a", "b", "c"].map((name) => `busy_${name}`);
    const computing = "import time\nuntil = time.monotonic() + 2\nwhile time.monotonic() < until: pass";
    const busy = names.map((session_id) => server.run("python", computing, { session_id }));
    assert.equal((await run("curl -s localhost:3000")).stdout, "node 1\n");
    for (const { status } of await Promise.all(busy)) assert.equal(status, "completed");
    assert.equal((await run("curl -s localhost:3000")).stdout, "node 2\n");
    for (const session_id of names) await server.call("destroy_session", { session_id });
  });
});

Deno.test("after a crash of the server what was left is told as ended once, and can be started again", async () => {
  await using servers = await StoredServers.make();
  const before = await servers.start();
  await before.run("bash", `${SERVER}python3 app.py 2>/dev/null &\n`);
  await servers.crash(before);
  const after = await servers.start();
  const first = await after.run("bash", "curl -s localhost:8001; echo $?; python3 app.py 2>/dev/null &\n");
  assert.equal(first.stdout, "7\n");
  assert.match(first.notice ?? "", /A background program of an earlier call ended/);
  const second = await after.run("bash", "curl -s localhost:8001/again");
  assert.deepEqual([second.stdout, second.notice], ["/again 1\n", null]);
});

Deno.test("jobs that are loops, groups and functions print to their files as they go on, from call to call", async () => {
  await session(async (run) => {
    await run(`while true; do echo tick; python3 -c 'print("program")'; sleep 0.2; done > ticks &
serve() { python3 -m http.server 8006; }
serve > serve.log 2>&1 &
{ sleep 0.1; echo first; sleep 1000; } > group 2>&1 &
true
`);
    const count = async () => (await run("grep -c tick ticks; grep -c program ticks; cat group")).stdout;
    const before = await count();
    assert.match(before, /^[1-9]\d*\n[1-9]\d*\nfirst\n$/);
    await run("sleep 0.5");
    const [ticks = 0, programs = 0] = (await count()).split("\n").map(Number);
    const [ticksBefore = 0, programsBefore = 0] = before.split("\n").map(Number);
    assert.ok(ticks > ticksBefore && programs > programsBefore, `${ticks} ${programs} after ${before}`);
    assert.equal((await run("curl -so /dev/null localhost:8006; grep -c GET serve.log")).stdout, "1\n");
  });
});

Deno.test("what was left stands in nobody's way: pipes of other programs, substitutions, locks, what can't be read", async () => {
  await session(async (run) => {
    assert.match((await run("python3 -m http.server 8002 > /dev/null 2>&1 &")).notice ?? "", /goes on/);
    const pipes = await run(
      "head -c 3000000 /dev/urandom > big; tar cf - big | gzip > big.tgz; tar tzf big.tgz",
    );
    assert.equal(pipes.stdout, "big\n", pipes.error?.message);
    const inner = await run("x=$( { python3 -m http.server 8003 & } > log 2>&1; echo got ); echo $x");
    assert.equal(inner.stdout, "got\n");
    await run("flock lock sleep 1000 &");
    assert.equal((await run("flock -n lock true; echo $?")).stdout, "1\n");
    assert.equal((await run("if (")).notice, null);
    assert.equal((await run("curl -so /dev/null -w '%{http_code}' localhost:8002")).stdout, "200");
  });
});

Deno.test("a call that is stopped while a server works for it leaves that server as it is", async () => {
  await session(async (run) => {
    await run(`cat > slow.py <<'X'
from http.server import BaseHTTPRequestHandler, HTTPServer
import time
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        until = time.monotonic() + (3 if self.path == "/slow" else 0)
        while time.monotonic() < until: pass
        self.send_response(200); self.end_headers(); self.wfile.write(b"done\\n")
    def log_message(self, *args): pass
HTTPServer(("", 8001), Handler).serve_forever()
X
python3 slow.py 2> errors &
`);
    const asking = "import urllib.request as u\nu.urlopen('http://localhost:8001/slow').read()";
    const stopped = await run(asking, { language: "python", timeout: 1 });
    assert.deepEqual([stopped.status, stopped.state], ["timeout", "kept"]);
    assert.equal((await run("curl -s localhost:8001/slow", { timeout: 1 })).status, "timeout");
    assert.equal(
      (await run("curl -s localhost:8001; jobs | wc -l; grep -c KeyboardInterrupt errors")).stdout,
      "done\n1\n0\n",
    );
  });
});

Deno.test("a server that is rolled back with its call is gone, and so is its port", async () => {
  await session(async (run) => {
    await run("x=$(seq 100000 | wc -c)"); // its memory has grown
    for (const _ of [1, 2]) {
      const rolled = await run("python3 -m http.server 8002 > /dev/null 2>&1 & sleep 0.3; false", {
        on_failure: "rollback",
      });
      assert.deepEqual([rolled.state, rolled.notice], ["rolled_back", null]);
      assert.equal((await run("curl -s localhost:8002; echo $?; jobs")).stdout, "7\n");
    }
  });
});

Deno.test("a program's processes lose their pipes with it, and are known to ps, kill and pkill of any shell", async () => {
  await session(async (run) => {
    const left = await run(
      `python3 - <<'X'
import subprocess
subprocess.Popen(["cat"], stdin=subprocess.PIPE)
subprocess.Popen(["yes"], stdout=subprocess.PIPE)
slow = subprocess.Popen(["python3", "-c", "import sys, time; time.sleep(0.2); print(len(sys.stdin.read()))"], stdin=subprocess.PIPE)
slow.stdin.write(b"x" * 300_000); slow.stdin.close()
X
node -e 'const { spawn } = require("child_process"); spawn("cat"); process.exit(3)'; echo $?
sleep 0.5; ps | grep -c -e cat -e yes`,
    );
    assert.deepEqual(left.stdout.split("\n").sort(), ["", "0", "3", "300000"], left.stderr);
    await run(
      `import os, subprocess
one, other = (subprocess.Popen(["cat"], stdin=subprocess.PIPE) for _ in range(2))
print(subprocess.run(["pgrep", "-c", "cat"], capture_output=True, text=True).stdout, end="")
os.system(f"kill -9 {one.pid}")`,
      { language: "python" },
    );
    const known = await run("pgrep -c cat; pkill cat; sleep 0.1; pgrep -c cat");
    assert.equal(known.stdout, "1\n0\n");
    const ended = await run("one.wait(), other.wait()", { language: "python" });
    assert.equal(ended.result, "(-9, -15)");
  });
});

Deno.test("a call after one that was stopped does not wait for the processes of that one", async () => {
  await session(async (run) => {
    const stopped = await run(
      `import subprocess\nprocess = subprocess.Popen(["sleep", "1000"])\nprint("begun", flush=True)\nwhile True: pass`,
      { language: "python", timeout: 1 },
    );
    assert.deepEqual([stopped.status, stopped.stdout], ["timeout", "begun\n"]);
    const next = await run("echo on", { timeout: 5 });
    assert.deepEqual([next.status, next.stdout, next.notice], ["completed", "on\n", null]);
    const last = await run("process.poll(), process.kill(), process.wait()", { language: "python" });
    assert.equal(last.result, "(None, None, -9)");
  });
});

Deno.test("node that has a server in the foreground says at its end that nobody could connect", async () => {
  await session(async (run) => {
    const alone = await run(`${NODE_SERVER}node server.js; echo $?`);
    assert.equal(alone.stdout, "listening\n0\n");
    assert.match(alone.stderr, /nobody could connect to the server at port 3000.*node … &/);
    const own = await run(
      `node -e 'const h = require("http"); const s = h.createServer((q, r) => r.end("own")).listen(0, () => h.get({ port: s.address().port }, (r) => r.on("data", (d) => console.log(String(d))).on("end", () => s.close())))'`,
    );
    assert.deepEqual([own.stdout, own.stderr], ["own\n", ""]);
  });
});
