/** Servers of `net` and their clients, in one program. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

/** Programs and what they print in Node. */
const PROGRAMS: readonly (readonly [name: string, code: string, printed: string])[] = [
  [
    "a server and its client hear of each other in Node's order",
    `const net = require("net");
const server = net.createServer((socket) => {
  console.log("connected", socket.remoteFamily !== undefined, socket.readyState);
  socket.setEncoding("utf8");
  socket.on("data", (d) => { console.log("server got", JSON.stringify(d)); socket.write("echo:" + d); if (d.includes("bye")) socket.end("closing\\n"); });
  socket.on("end", () => console.log("server end")); socket.on("close", (h) => console.log("server close", h)); socket.on("error", (e) => console.log("server error", e.code));
});
server.on("close", () => console.log("server closed"));
server.listen(0, "127.0.0.1", () => {
  const { port, address, family } = server.address(); console.log(address, family, port > 0);
  const client = net.createConnection({ port, host: "127.0.0.1" }, () => { console.log("client connected", client.connecting, client.remoteAddress, client.remotePort === port, client.readyState); client.write("hello "); client.write("world"); });
  console.log(client.connecting, client.pending, client.readyState);
  let n = 0;
  client.on("data", (d) => { console.log("client got", d.toString()); if (++n === 1) client.write("bye"); });
  client.on("end", () => console.log("client end")); 
  client.on("close", (h) => { console.log("client close", h, client.bytesRead, client.bytesWritten, client.readyState); server.getConnections((e, c) => { console.log(c); server.close(); }); });
});
`,
    `127.0.0.1 IPv4 true
true true opening
connected true open
client connected false 127.0.0.1 true open
server got "hello world"
client got echo:hello world
server got "bye"
client got echo:byeclosing

client end
client close false 32 14 closed
1
server end
server closed
server close false
`,
  ],
  [
    "streams go both ways, ends and errors are told, and nobody listens where nobody does",
    `const net = require("net"); const { once } = require("events"); const { pipeline } = require("stream/promises"); const { Transform } = require("stream");
(async () => {
  const c = net.connect(1, "127.0.0.1"); c.on("error", (e) => console.log(e.code, e.message, e.syscall, e.port)); c.on("close", (h) => console.log("close", h)); await new Promise((r) => c.on("close", r));
  const server = net.createServer({ allowHalfOpen: true }, async (s) => { const parts = []; for await (const p of s) parts.push(p); s.end("got " + Buffer.concat(parts).length); });
  server.listen(0); await once(server, "listening"); const { port } = server.address();
  const big = net.connect(port); big.end(Buffer.alloc(3e6)); let t = ""; for await (const x of big) t += x; console.log(t);
  const clash = net.createServer(); clash.on("error", (e) => console.log(e.code, e.message.replace(port, "PORT"))); clash.listen(port); await new Promise((r) => setTimeout(r, 20));
  const up = net.createServer((s) => pipeline(s, new Transform({ transform(c, e, cb) { cb(null, c.toString().toUpperCase()); } }), s).catch((e) => console.log("pipe", e.code))).listen(0);
  await once(up, "listening"); const u = net.connect(up.address().port); u.write("abc"); console.log((await once(u, "data"))[0].toString()); u.end("def"); const rest = []; for await (const x of u) rest.push(x); console.log(Buffer.concat(rest).toString());
  up.close(); server.close(); console.log(await once(server, "close"));
  const idle = net.createServer((s) => { s.setTimeout(30); s.on("timeout", () => { console.log("timeout"); s.destroy(); }); }).listen(0); await once(idle, "listening");
  const i = net.connect(idle.address().port); await once(i, "close"); console.log("gone", i.destroyed); idle.close(() => console.log("idle closed"));
  console.log(net.isIP("::1"), net.isIP("1.2.3.4"), net.isIP("x"));
  try { net.connect({}); } catch (e) { console.log(e.code); } try { net.connect(70000); } catch (e) { console.log(e.code); }
  const unix = net.createServer((s) => s.end("by name")).listen("/tmp/x2.sock" + process.pid); await once(unix, "listening"); const un = net.connect("/tmp/x2.sock" + process.pid); console.log((await once(un, "data"))[0].toString(), unix.address().startsWith("/tmp/x2")); unix.close();
})();
`,
    `ECONNREFUSED connect ECONNREFUSED 127.0.0.1:1 connect 1
close true

EADDRINUSE listen EADDRINUSE: address already in use :::PORT
ABC
DEF
[]
timeout
gone true
6 4 0
ERR_MISSING_ARGS
ERR_SOCKET_BAD_PORT
idle closed
by name true
`,
  ],
  [
    "lines of a chat",
    `// chat
const net = require("net"), readline = require("readline");
const clients = new Set();
const server = net.createServer((s) => {
  s.name = "?"; clients.add(s);
  const rl = readline.createInterface({ input: s });
  rl.on("line", (line) => { if (s.name === "?") { s.name = line; s.write("hi " + line + "\\n"); return; } for (const c of clients) if (c !== s) c.write(\`\${s.name}: \${line}\\n\`); });
  s.on("close", () => { clients.delete(s); if (clients.size === 0) server.close(() => console.log("done")); });
});
server.listen(0, () => {
  const a = net.connect(server.address().port), b = net.connect(server.address().port);
  for (const [n, s] of [["a", a], ["b", b]]) { readline.createInterface({ input: s }).on("line", (l) => { console.log(n, "<-", l); if (l === "hi alice") setTimeout(() => a.write("hello bob\\n"), 20); if (l === "alice: hello bob") { b.write("bye\\n"); b.end(); } if (l === "bob: bye") a.end(); }); }
  a.write("alice\\n"); setTimeout(() => b.write("bob\\n"), 5);
});
`,
    `a <- hi alice
b <- hi bob
b <- alice: hello bob
a <- bob: bye
done
`,
  ],
];

for (const [name, code, printed] of PROGRAMS) {
  Deno.test(name, async () => assert.equal(await new Session().stdout(code), printed));
}

Deno.test("other computers and servers of http are out of reach, and say so", async () => {
  const session = new Session();
  const printed = await session.stdout(
    `const net = require("net"); const http = require("http").createServer().listen(8080);
    for (const place of [[80, "example.com"], [8080]]) net.connect(...place).on("error", (e) => console.log(e.code, e.message));
    net.createServer(() => {}).listen(9090); require("http").get("http://localhost:9090").on("error", (e) => console.log(e.code));`,
  );
  assert.match(printed, /connection to example.com:80 is not here: there is no network/);
  assert.equal(printed.split("ERR_FEATURE_UNAVAILABLE_ON_PLATFORM").length, 4);
});

Deno.test("a server of an earlier call answers", async () => {
  const session = new Session();
  await session.stdout(`require("net").createServer((s) => s.end("still here")).listen(7000)`);
  assert.equal(
    await session.stdout(
      `for await (const piece of require("net").connect(7000)) console.log(\`\${piece}\`)`,
    ),
    "still here\n",
  );
});

Deno.test("what is no place, no time and no connection is refused as in Node", async () => {
  const printed = await new Session().stdout(
    `const net = require("net"); const told = (f) => { try { f(); console.log("taken"); } catch (e) { console.log(e.code, e.message); } };
    const server = () => net.createServer(); const socket = () => new net.Socket();
    told(() => server().listen({})); told(() => server().listen({ path: 5 })); told(() => server().listen(true));
    told(() => net.connect({ port: null })); told(() => net.connect({ port: 80, host: 5 }));
    told(() => socket().setTimeout("5")); told(() => socket().setTimeout(-1));
    told(() => server().listen(undefined).close()); told(() => server().listen({ port: null }).close());
    socket().on("error", (e) => console.log(e.code)).write("to nobody");`,
  );
  assert.equal(
    printed,
    `ERR_INVALID_ARG_VALUE The argument 'options' must have the property "port" or "path". Received {}
ERR_INVALID_ARG_TYPE The "options.path" property must be of type string. Received type number (5)
ERR_INVALID_ARG_TYPE The "options.port" property must be one of type number or string. Received type boolean (true)
ERR_INVALID_ARG_TYPE The "options.port" property must be one of type number or string. Received null
ERR_INVALID_ARG_TYPE The "options.host" property must be of type string. Received type number (5)
ERR_INVALID_ARG_TYPE The "msecs" argument must be of type number. Received type string ('5')
ERR_OUT_OF_RANGE The value of "msecs" is out of range. It must be a non-negative finite number. Received -1
taken
taken
ERR_SOCKET_CLOSED
`,
  );
});
