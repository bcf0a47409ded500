/** Servers in background jobs of a script, and who asks them at localhost: curl, wget, Python, Node, each in a process of its own. */

import assert from "node:assert/strict";
import { UNDER_TEST } from "../support/harness.ts";
import { sharedServer } from "../support/shared.ts";

let sessions = 0;

/** @returns What a script printed, and how it ended. */
async function script(code: string, more: Record<string, unknown> = {}) {
  const server = await sharedServer();
  const session_id = `loopback_${++sessions}`;
  const reply = await server.run("bash", code, { session_id, ...more });
  await server.call("destroy_session", { session_id });
  return reply;
}

/** Waits until somebody listens, in the way of scripts. */
const READY = "curl -s -o /dev/null --retry 100 --retry-delay 0.05 --retry-connrefused";

const PYTHON_SERVER = `cat > app.py <<'X'
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        if self.path == "/moved":
            self.send_response(302); self.send_header("Location", "/there"); self.end_headers()
        else:
            self.answer(404 if self.path == "/nope" else 200, ("GET " + self.path).encode())
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(201, self.headers["Content-Type"].encode() + b" " + body)
    def log_message(self, *args): pass
HTTPServer(("127.0.0.1", 8001), Handler).serve_forever()
X
python3 app.py &
${READY} localhost:8001
`;

const NODE_SERVER = `cat > server.mjs <<'X'
import http from "node:http";
const items = [];
http.createServer(async (request, response) => {
  if (request.method === "POST") {
    let body = "";
    for await (const piece of request) body += piece;
    items.push(JSON.parse(body));
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ id: items.length }));
  } else if (request.url === "/big") {
    for (let i = 0; i < 40; i++) response.write("x".repeat(50_000));
    response.end();
  } else response.end(JSON.stringify(items));
}).listen(8002, () => console.log("listening"));
X
node server.mjs > server.log 2>&1 &
${READY} localhost:8002
`;

Deno.test(`[${UNDER_TEST}] a server of Python in the background is asked by curl, wget, Python and Node`, async () => {
  const { stdout, stderr, success } = await script(
    PYTHON_SERVER + `
curl -s localhost:8001/a?b=c; echo
curl -s -d x=1 -w ' %{http_code}\\n' http://127.0.0.1:8001/
curl -s --json '{"a": 1}' localhost:8001/; echo
curl -sf localhost:8001/nope; echo "rc=$?"
curl -sL localhost:8001/moved; echo
curl -s -o out.txt localhost:8001/file; cat out.txt; echo
wget -qO- localhost:8001/w; echo
python3 -c 'import urllib.request as u; print(u.urlopen("http://localhost:8001/p").read())'
node -e 'fetch("http://localhost:8001/n").then(async (answer) => console.log(answer.status, await answer.text()))'
kill %1
wait
curl -s localhost:8001; echo "rc=$?"
`,
  );
  assert.deepEqual(stdout.trim().split("\n"), [
    "GET /a?b=c",
    "application/x-www-form-urlencoded x=1 201",
    'application/json {"a": 1}',
    "rc=22",
    "GET /there",
    "GET /file",
    "GET /w",
    "b'GET /p'",
    "200 GET /n",
    "rc=7",
  ], stderr);
  assert.ok(success);
});

Deno.test("a server of Node in the background is asked by others, with bodies in both directions that are larger than any buffer", async () => {
  const { stdout, stderr } = await script(
    NODE_SERVER + `
for n in 1 2; do curl -s localhost:8002 -d "{\\"n\\": $n}"; echo; done
node -e 'require("http").get("http://localhost:8002", (answer) => answer.on("data", (piece) => console.log(String(piece))))'
python3 -c 'import json, urllib.request as u; print(json.load(u.urlopen("http://localhost:8002")))'
python3 -c '
import http.client
one = http.client.HTTPConnection("localhost", 8002)
def asked():
    one.request("GET", "/")
    return one.getresponse().read()
print({asked() for _ in range(15)}, one.sock is not None)'
curl -s localhost:8002/big | wc -c
python3 -c 'print("{\\"s\\": \\"" + "y" * 1_500_000 + "\\"}")' > big.json
curl -s --data-binary @big.json localhost:8002; echo
curl -s localhost:8002 | wc -c
kill $!
cat server.log
`,
  );
  assert.deepEqual(stdout.trim().split("\n"), [
    '{"id":1}',
    '{"id":2}',
    '[{"n":1},{"n":2}]',
    "[{'n': 1}, {'n': 2}]",
    `{b'[{"n":1},{"n":2}]'} True`,
    "2000000",
    '{"id":3}',
    String('[{"n":1},{"n":2},{"s":""}]'.length + 1_500_000),
    "listening",
  ], stderr);
});

Deno.test("sockets of one process reach those of another, and see each other's ends", async () => {
  const { stdout, stderr } = await script(`
node -e '
require("net").createServer((socket) => {
  socket.write("hello\\n");
  socket.on("data", (data) => socket.end("you said " + data));
}).listen(8003)' &
python3 -uc '
import asyncio
async def talk(reader, writer):
    writer.write((await reader.readline()).upper())
    await writer.drain()
    writer.close()
async def main():
    async with await asyncio.start_server(talk, "127.0.0.1", 8004) as server: await server.serve_forever()
asyncio.run(main())' &
cat > client.py <<'X'
import socket, time
def connected(port):
    while True:
        try: return socket.create_connection(("localhost", port))
        except ConnectionRefusedError: time.sleep(0.02)
one = connected(8003)
print(one.recv(100))
one.sendall(b"hi")
print(one.recv(100), one.recv(100))
two = connected(8004)
two.sendall(b"line\\n")
print(two.makefile().read())
X
python3 client.py
node -e '
const socket = require("net").connect(8004, () => socket.write("node\\n"));
socket.on("data", (data) => console.log(String(data).trim())).on("close", () => console.log("closed"));'
kill $(jobs -p)
`);
  assert.equal(stdout, "b'hello\\n'\nb'you said hi' b''\nLINE\n\nNODE\nclosed\n", stderr);
});

Deno.test("a port is taken once, and free again when its server has ended", async () => {
  const { stdout } = await script(
    PYTHON_SERVER + `
python3 -c 'import socket; socket.create_server(("127.0.0.1", 8001))' 2>&1 | tail -n 1
node -e 'require("http").createServer().on("error", (error) => console.log(error.code)).listen(8001)'
kill %1; wait
python3 app.py & ${READY} localhost:8001; curl -s localhost:8001/again; kill %1
`,
  );
  assert.match(stdout, /^OSError: \[Errno 98\] Address (?:already )?in use\nEADDRINUSE\nGET \/again$/);
});

Deno.test("a script ends though its servers don't, and tells that they go on", async () => {
  const { stdout, stderr, notice, success } = await script(
    `${PYTHON_SERVER}curl -s localhost:8001/x; echo; echo end`,
  );
  assert.deepEqual([stdout, stderr], ["GET /x\nend\n", ""]);
  assert.match(notice ?? "", /A background job goes on/);
  assert.ok(success);
  // One that others still work beside goes on.
  const { stdout: asked } = await script(`${PYTHON_SERVER}(sleep 0.3; curl -s localhost:8001/late) &`);
  assert.equal(asked, "GET /late");
});

Deno.test("programs in the background work beside the script, print as they go, and end where they are killed", async () => {
  const { stdout } = await script(`
python3 -uc 'import time
for i in range(50): print("p", i); time.sleep(0.05)' > p.log &
node -e 'let i = 0; setInterval(() => console.log("n", i++), 50)' > n.log &
until [ -s p.log ] && [ -s n.log ]; do sleep 0.05; done
python3 -c 'import time; time.sleep(0.3)'
[ $(wc -l < p.log) -gt 2 ] && [ $(wc -l < n.log) -gt 2 ] && echo both
kill %1 %2
wait
[ $(wc -l < p.log) -lt 50 ] && echo killed
python3 -uc 'import time
print("first"); open("went", "w"); time.sleep(100)' &
until [ -e went ]; do sleep 0.05; done
kill $!
`);
  assert.equal(stdout, "both\nkilled\nfirst\n");
});

Deno.test("nothing of the host and of other sessions is reached, and what never answers ends by its time-out", async () => {
  const outside = Deno.serve({ port: 0, onListen() {} }, () => new Response("outside"));
  try {
    const { port } = outside.addr;
    const { stdout, stderr } = await script(`
curl -sS http://localhost:${port}; echo "rc=$?"
curl -sS http://example.com/; echo "rc=$?"
node -e 'require("net").createServer(() => {}).listen(8005)' &
until nc -z localhost 8005; do sleep 0.05; done
curl -sS -m 0.3 localhost:8005; echo "rc=$?"
kill $!
`);
    assert.equal(stdout, "rc=7\nrc=6\nrc=28\n");
    assert.match(stderr, /\(6\) Could not resolve host: example\.com: there is no network here/);
  } finally {
    await outside.shutdown();
  }
});

Deno.test("a server that floods, lies about its length or breaks off is an error of whoever asks it, and the session goes on", async () => {
  const answers = [
    "HTTP/1.1 200 OK\\\\r\\\\nContent-Length: 100\\\\r\\\\n\\\\r\\\\nshort",
    "nonsense\\\\r\\\\n\\\\r\\\\n",
    "HTTP/1.1 200 OK\\\\r\\\\nTransfer-Encoding: chunked\\\\r\\\\n\\\\r\\\\nzz\\\\r\\\\n",
    "",
  ];
  const { stdout, success } = await script(`
cat > bad.py <<'X'
import socket, sys
server = socket.create_server(("127.0.0.1", 8006))
open("up", "w").close()
for answer in sys.argv[1:]:
    peer, _ = server.accept()
    peer.recv(1000)
    peer.sendall(answer.encode().decode("unicode_escape").encode())
    peer.close()
peer, _ = server.accept()
try:
    while True: peer.sendall(b"HTTP/1.1 200 OK\\r\\nX: " + b"y" * 1_000_000)
except OSError as error: print(type(error).__name__, flush=True)
X
python3 bad.py ${answers.map((each) => `"${each}"`).join(" ")} &
until [ -e up ]; do sleep 0.05; done
for i in 1 2 3 4; do curl -s localhost:8006 > /dev/null; echo "rc=$?"; done
curl -s -m 20 localhost:8006 > /dev/null; echo "rc=$?"
wait
echo on
`);
  assert.match(stdout, /^rc=18\nrc=1\nrc=1\nrc=52\nrc=63\n(?:BrokenPipeError\n)?on\n$/);
  assert.ok(success);
});

Deno.test("nc tells whether somebody listens, and talks to who does", async () => {
  const { stdout } = await script(`
nc -z localhost 8007; echo "rc=$?"
python3 -c '
import socketserver
class Upper(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile: self.wfile.write(line.upper())
socketserver.TCPServer(("127.0.0.1", 8007), Upper).serve_forever()' &
until nc -z localhost 8007; do sleep 0.05; done
printf 'a\\nb\\n' | nc localhost 8007
nc -zv localhost 8007 2>&1
`);
  assert.equal(stdout, "rc=1\nA\nB\nConnection to localhost 8007 port [tcp/*] succeeded!\n");
});

Deno.test("one that opens more connections than there may be, and fills them all, is refused the rest", async () => {
  const { stdout, success, stderr } = await script(
    `
cat > hoard.py <<'X'
import socket
server = socket.create_server(("127.0.0.1", 8008), backlog=5000)
print("up", flush=True)
held = []
while True:
    peer, _ = server.accept()
    held.append(peer)
X
cat > flood.py <<'X'
import socket
held, sent = [], 0
try:
    while len(held) < 3000:
        one = socket.create_connection(("127.0.0.1", 8008))
        one.setblocking(False)
        held.append(one)
        try: sent += one.send(b"x" * 300_000)
        except BlockingIOError: pass
except OSError as error: print(type(error).__name__, len(held) <= 1000)
X
python3 hoard.py > up.log &
until [ -s up.log ]; do sleep 0.05; done
python3 flood.py
kill $!
echo on
`,
    { timeout: 120 },
  );
  assert.equal(stdout, "ConnectionRefusedError True\non\n", stderr);
  assert.ok(success);
});

Deno.test("a server may be given a time, or be freed from what ends its terminal", async () => {
  const { stdout } = await script(`
python3 -c 'import sys; open("a.txt", "w").write("a")'
timeout 1 python3 -m http.server 8009 >/dev/null 2>&1 &
until nc -z localhost 8009; do sleep 0.05; done
curl -s localhost:8009/a.txt; echo
wait $!; echo "rc=$?"
nohup python3 -m http.server 8010 > log 2>&1 &
until nc -z localhost 8010; do sleep 0.05; done
curl -s localhost:8010/a.txt; echo
kill $!
timeout 0.2 python3 -c 'while True: pass' & wait $!; echo "rc=$?"
`);
  assert.equal(stdout, "a\nrc=124\na\nrc=124\n");
});

Deno.test("no more than eight programs of jobs compute beside each other, those that wait do not count, and all come to their end", async () => {
  const { stdout, success } = await script(
    `for i in $(seq 12); do python3 -c 'import time; time.sleep(1)' & done
for i in $(seq 12); do python3 -uc 'print("+"); n = sum(range(10**6)); print("-")' & done; wait; echo end`,
  );
  const marks = stdout.trim().split("\n");
  assert.equal(marks.pop(), "end");
  let running = 0;
  const depths = marks.map((mark) => running += mark === "+" ? 1 : -1);
  assert.equal(marks.length, 24);
  assert.ok(Math.max(...depths) > 1 && Math.max(...depths) <= 8, stdout);
  assert.ok(success);
});

Deno.test("what a job would read has ended, whatever program it is, and what timeout runs in a shell ends in time", async () => {
  const { stdout } = await script(`
timeout 0.3 bash -c 'sleep 9; echo no' & wait $!; echo "rc=$?"
timeout 9 cat & wait $!; echo "rc=$?"
curl -s -d @- localhost:1 & wait $!; echo "rc=$?"
node -e 'process.stdin.on("data", () => {}).on("end", () => console.log("end"))' & wait
python3 -c 'print(repr(input()))' 2>&1 & wait
`);
  assert.match(stdout, /^rc=124\nrc=0\nrc=7\nend\nTraceback[^]*EOFError: no input\b.*\n$/);
});

Deno.test("curl keeps cookies where a file of them is named, and refuses what it can't do", async () => {
  const { stdout, stderr } = await script(`
cat > app.py <<'X'
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        if self.path == "/login":
            self.send_header("Set-Cookie", "sid=42; Path=/; HttpOnly")
            self.send_header("Set-Cookie", "only=here; Path=/deep")
        if self.path == "/logout": self.send_header("Set-Cookie", "sid=; Path=/; Max-Age=0")
        self.end_headers()
        self.wfile.write(str(self.headers["Cookie"]).encode())
    def log_message(self, *args): pass
HTTPServer(("127.0.0.1", 8011), Handler).serve_forever()
X
python3 app.py &
until nc -z localhost 8011; do sleep 0.05; done
curl -s -c jar.txt localhost:8011/login; echo
grep -c sid jar.txt
curl -s -b jar.txt localhost:8011/a; echo
curl -s -b jar.txt -b x=1 localhost:8011/deep/b; echo
curl -s -b jar.txt -c jar.txt localhost:8011/logout; echo
curl -s -b jar.txt localhost:8011/; echo
curl -s localhost:8011/; echo
for wrong in "-m x" "--retry x" "--retry-delay -1" "-C -" "--nonsense" "https://localhost:8011/"; do
  curl -sS $wrong localhost:8011 > /dev/null; echo "rc=$?"
done
wget -qO- localhost:8011/x localhost:8011/y; echo
wget -T x localhost:8011; echo "rc=$?"
nc -w x localhost 8011; echo "rc=$?"
kill %1
`);
  assert.equal(
    stdout,
    "None\n1\nsid=42\nsid=42; only=here; x=1\nsid=42\nNone\nNone\n" +
      "rc=2\nrc=2\nrc=2\nrc=2\nrc=2\nrc=0\nNoneNone\nrc=2\nrc=1\n",
    stderr,
  );
  assert.match(stderr, /curl: \(35\) there is no TLS here: ask by http:\/\//);
});
