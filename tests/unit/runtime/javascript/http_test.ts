/** Servers of `http` and their clients, in one program. */

import assert from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

/** Programs and what they print in Node. */
const PROGRAMS: readonly (readonly [name: string, code: string, printed: string])[] = [
  [
    "words and methods are all that Node knows",
    `const { METHODS, STATUS_CODES } = require("http"); console.log(METHODS.length, METHODS.includes("PROPFIND"), Object.keys(STATUS_CODES).length, STATUS_CODES[203]);`,
    "35 true 63 Non-Authoritative Information\n",
  ],
  [
    "a server that ends the connection is heard of by fetch",
    `const http = require("http");
    const server = http.createServer((req) => req.socket.destroy()).listen(0, async () => {
      try { await fetch("http://localhost:" + server.address().port); } catch (error) { console.log(error.message, error.cause.name, error.cause.code); }
      try { await fetch("not a url"); } catch (error) { console.log(error.name, error.message, error.cause.code); }
      server.close();
    });`,
    "fetch failed SocketError UND_ERR_SOCKET\nTypeError Failed to parse URL from not a url ERR_INVALID_URL\n",
  ],
  [
    "classes can be called on what inherits from them",
    `const http = require("http"), util = require("util");
    function Own(req) { http.ServerResponse.call(this, req); this.chunks = []; }
    util.inherits(Own, http.ServerResponse);
    const made = new Own({ method: "GET" }); made.setHeader("A", "b");
    console.log(made.getHeader("a"), made.statusCode, made instanceof http.ServerResponse, made instanceof http.OutgoingMessage, made.constructor.name);
    const server = http.createServer(); class Agent extends http.Agent {}
    console.log(server instanceof http.Server, server.constructor === http.Server, http.Server.name, new Agent() instanceof http.Agent, http.Server().listening);`,
    "b 200 true true Own\ntrue true Server true false\n",
  ],
  [
    "a connection is another protocol's where both ends want that",
    `const http = require("http"), crypto = require("crypto");
    const server = http.createServer((req, res) => res.end("plain"));
    server.on("upgrade", (req, socket, head) => {
      console.log(req.method, req.url, req.headers.upgrade, head.length);
      socket.write("HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: echo\\r\\nConnection: Upgrade\\r\\n\\r\\n");
      socket.on("data", (data) => socket.write(String(data).toUpperCase()));
      socket.on("end", () => socket.end());
    });
    server.listen(0, () => {
      const { port } = server.address();
      const req = http.request({ port, path: "/chat", headers: { Connection: "Upgrade", Upgrade: "echo" } });
      req.on("response", () => console.log("no response"));
      req.on("upgrade", (res, socket, head) => {
        console.log(res.statusCode, res.headers.upgrade, head.length);
        socket.on("data", (data) => {
          console.log(String(data));
          if (String(data) === "ONE") socket.write("two"); else socket.end();
        });
        socket.on("close", () => http.get({ port }, (res) => res.on("data", (data) => { console.log(String(data)); server.close(); })));
        socket.write("one");
      });
      req.end();
    });`,
    "GET /chat echo 0\n101 echo 0\nONE\nTWO\nplain\n",
  ],
  [
    "names are looked up as without a network",
    `const http = require("http"), dns = require("dns");
    dns.lookup("localhost", { all: true }, (error, found) => console.log(error, found));
    dns.lookup("example.com", (error) => console.log(error.code, error.syscall, error.hostname, /no network/.test(error.message)));
    new dns.promises.Resolver().resolveMx("example.com").catch((error) => console.log(error.code, error.syscall));
    require("util").promisify(dns.lookup)("10.0.0.1").then(console.log);`,
    "ECONNREFUSED queryMx\n{ address: '10.0.0.1', family: 4 }\n" +
    "null [ { address: '127.0.0.1', family: 4 } ]\nENOTFOUND getaddrinfo example.com true\n",
  ],
  [
    "a server is asked by fetch",
    `const http = require("http");
    const server = http.createServer(async (req, res) => {
      const url = new URL(req.url, "http://" + req.headers.host);
      let body = ""; for await (const chunk of req) body += chunk;
      if (url.pathname === "/old") return res.writeHead(302, { Location: "/new?from=old" }).end();
      if (url.pathname === "/none") { res.statusCode = 204; return res.end(); }
      res.setHeader("Content-Type", "application/json"); res.setHeader("Set-Cookie", ["a=1", "b=2"]);
      res.statusCode = req.method === "POST" ? 201 : 200;
      res.end(JSON.stringify({ method: req.method, path: url.pathname, query: url.search, body, type: req.headers["content-type"] }));
    });
    server.listen(0, async () => {
      const base = "http://localhost:" + server.address().port;
      const one = await fetch(base + "/a?x=1"); console.log(one.status, one.statusText, one.ok, one.headers.get("content-length"), one.headers.getSetCookie(), await one.json());
      console.log(await (await fetch(base + "/p", { method: "POST", body: JSON.stringify({ k: 1 }), headers: { "content-type": "application/json" } })).json());
      console.log(await (await fetch(base, { method: "PUT", body: new URLSearchParams({ a: "1 2" }) })).json());
      const moved = await fetch(base + "/old", { method: "POST", body: "form" }); console.log(moved.redirected, moved.url.slice(base.length), (await moved.json()).method);
      const kept = await fetch(base + "/old", { redirect: "manual" }); console.log(kept.status, kept.headers.get("location"));
      const none = await fetch(base + "/none"); console.log(none.status, none.body, await none.text());
      const head = await fetch(base, { method: "HEAD" }); console.log(head.status, head.headers.get("content-type"), (await head.text()).length);
      server.close(() => console.log("closed", server.listening));
    });`,
    "200 OK true 53 [ 'a=1', 'b=2' ] { method: 'GET', path: '/a', query: '?x=1', body: '' }\n" +
    "{\n" +
    "  method: 'POST',\n" +
    "  path: '/p',\n" +
    "  query: '',\n" +
    "  body: '{\"k\":1}',\n" +
    "  type: 'application/json'\n" +
    "}\n" +
    "{\n" +
    "  method: 'PUT',\n" +
    "  path: '/',\n" +
    "  query: '',\n" +
    "  body: 'a=1+2',\n" +
    "  type: 'application/x-www-form-urlencoded;charset=UTF-8'\n" +
    "}\n" +
    "true /new?from=old GET\n" +
    "302 /new?from=old\n" +
    "204 null \n" +
    "200 application/json 0\n" +
    "closed false\n",
  ],
  [
    "fetch unpacks what a server has packed",
    `const http = require("http"), zlib = require("zlib");
    const packed = { gzip: zlib.gzipSync("g".repeat(3)), deflate: zlib.deflateSync("ddd"), br: Buffer.from("CwKAaGVsbG8D", "base64"), "deflate, gzip": zlib.gzipSync(zlib.deflateSync("both")), other: Buffer.from("as it is"), "x-gzip": "", "gzip ": Buffer.from("no gzip") };
    const server = http.createServer((req, res) => { const coding = decodeURIComponent(req.url.slice(1)); res.setHeader("Content-Encoding", coding); res.end(packed[coding]); });
    server.listen(0, async () => {
      for (const coding in packed) {
        const answer = await fetch("http://localhost:" + server.address().port + "/" + encodeURIComponent(coding));
        console.log(answer.headers.get("content-encoding"), await answer.text().catch((error) => error.name + " " + error.message));
      }
      server.close();
    });`,
    "gzip ggg\ndeflate ddd\nbr hello\ndeflate, gzip both\nother as it is\nx-gzip \ngzip TypeError terminated\n",
  ],
  [
    "requests and answers go piece by piece",
    `import http from "node:http"; import { once } from "node:events";
    const server = http.createServer((req, res) => {
      if (req.url === "/events") { res.writeHead(200, { "Content-Type": "text/event-stream" }); let n = 0; const t = setInterval(() => { res.write("data: " + n + "\\n\\n"); if (++n === 3) { clearInterval(t); res.end(); } }, 2); return; }
      if (req.url === "/slow") return;
      if (req.url === "/cut") { res.write("half"); setTimeout(() => res.destroy(), 5); return; }
      req.on("data", (chunk) => console.log("server has", String(chunk))).on("end", () => res.end("done"));
    }).listen(0); await once(server, "listening"); const { port } = server.address();
    let text = ""; for await (const chunk of (await fetch("http://127.0.0.1:" + port + "/events")).body.pipeThrough(new TextDecoderStream())) text += chunk; console.log(JSON.stringify(text));
    const req = http.request({ port, method: "POST", path: "/up", headers: { "X-A": "b" } }, (res) => { console.log(res.statusCode, res.statusMessage, res.httpVersion, res.headers["transfer-encoding"], res.headers["content-length"]); res.setEncoding("utf8"); res.on("data", (d) => console.log("client has", d)); });
    req.write("one"); setTimeout(() => req.end("two"), 5); await once(req, "close");
    await fetch("http://localhost:" + port + "/slow", { signal: AbortSignal.timeout(10) }).catch((e) => console.log(e.name, e.message));
    await (await fetch("http://localhost:" + port + "/cut")).text().catch((e) => console.log(e.name, e.message));
    const given = http.get({ port, path: "/slow" }); given.on("error", (e) => console.log(e.code, e.message)); setTimeout(() => given.destroy(), 5); await new Promise((resolve) => given.on("close", resolve));
    const controller = new AbortController(); setTimeout(() => controller.abort(), 5); await fetch("http://localhost:" + port + "/slow", { signal: controller.signal }).catch((e) => console.log(e.name, e.message));
    server.closeAllConnections(); server.close(); await once(server, "close"); console.log("closed");`,
    '"data: 0\\n\\ndata: 1\\n\\ndata: 2\\n\\n"\n' +
    "server has one\n" +
    "server has two\n" +
    "200 OK 1.1 undefined 4\n" +
    "client has done\n" +
    "TimeoutError The operation was aborted due to timeout\n" +
    "TypeError terminated\n" +
    "ECONNRESET socket hang up\n" +
    "AbortError This operation was aborted\n" +
    "closed\n",
  ],
  [
    "where nobody listens, a connection is refused",
    `const http = require("http");
    http.get("http://127.0.0.1:59999/").on("error", (e) => { console.log(e.code, e.message, e.syscall, e.port);
      fetch("http://127.0.0.1:59999/").catch((e) => { console.log(e.name, e.message, e.cause.code);
        const one = http.createServer().listen(0, "127.0.0.1", () => { const { port } = one.address();
          http.createServer().on("error", (e) => { console.log(e.code, e.message.replace(port, "PORT"), e.syscall); one.close(() => one.close((e) => console.log(e.code, e.message))); }).listen(port, "127.0.0.1"); }); }); });`,
    "ECONNREFUSED connect ECONNREFUSED 127.0.0.1:59999 connect 59999\n" +
    "TypeError fetch failed ECONNREFUSED\n" +
    "EADDRINUSE listen EADDRINUSE: address already in use 127.0.0.1:PORT listen\n" +
    "ERR_SERVER_NOT_RUNNING Server is not running.\n",
  ],
  [
    "headers are what Node makes of them",
    `const http = require("http");
    const server = http.createServer((req, res) => {
      console.log(req.headers["x-two"], req.headers.cookie, req.rawHeaders.filter((h) => /x-two/i.test(h)), req.socket.remoteAddress.endsWith("127.0.0.1"));
      res.setHeader("X-Name", "v"); console.log(res.getHeader("x-name"), res.hasHeader("X-NAME"), res.getHeaderNames(), res.headersSent); res.removeHeader("x-name");
      res.writeHead(418, { "X-List": ["a", "b"] }); console.log(res.headersSent); try { res.setHeader("a", "b"); } catch (e) { console.log(e.code, e.message); }
      try { res.writeHead(200); } catch (e) { console.log(e.code); } res.write("x"); res.end(); console.log(res.writableEnded, res.finished);
      res.on("finish", () => console.log("finish")).on("close", () => console.log("close"));
    });
    server.listen(0, () => { const req = http.request("http://localhost:" + server.address().port + "/h", { headers: { "X-Two": ["1", "2"], Cookie: ["a=1", "b=2"] } });
      req.on("response", (res) => { console.log(res.statusCode, res.statusMessage, res.headers["x-list"], res.headers.connection, Object.keys(res.headers).sort().join()); res.resume().on("end", () => { console.log("end", res.complete); server.close(() => console.log("closed")); }); }).end();
      try { req.setHeader("a", "c"); } catch (e) { console.log(e.code); } try { http.request({ path: "/a b" }); } catch (e) { console.log(e.code, e.message); } console.log(req.method, req.path, req.getHeader("host").split(":")[0]); });`,
    "ERR_HTTP_HEADERS_SENT\n" +
    "ERR_UNESCAPED_CHARACTERS Request path contains unescaped characters\n" +
    "GET /h localhost\n" +
    "1, 2 a=1; b=2 [ 'X-Two', 'X-Two' ] true\n" +
    "v true [ 'x-name' ] false\n" +
    "true\n" +
    "ERR_HTTP_HEADERS_SENT Cannot set headers after they are sent to the client\n" +
    "ERR_HTTP_HEADERS_SENT\n" +
    "true true\n" +
    "finish\n" +
    "close\n" +
    "418 I'm a Teapot a, b keep-alive connection,date,keep-alive,transfer-encoding,x-list\n" +
    "end true\n" +
    "closed\n",
  ],
  [
    "large bodies wait for who reads them",
    `import http from "http"; import { pipeline } from "stream/promises"; import { Readable, Writable } from "stream"; import { createHash } from "crypto";
    const server = http.createServer((req, res) => { req.pipe(res); }).listen(0, async () => {
      const url = "http://localhost:" + server.address().port; const bytes = Buffer.alloc(300_000, "abcdefg");
      const echoed = Buffer.from(await (await fetch(url, { method: "POST", body: bytes })).arrayBuffer()); console.log(echoed.length, echoed.equals(bytes));
      const hash = createHash("sha1"); const req = http.request(url, { method: "PUT" }); const answered = new Promise((resolve) => req.on("response", resolve));
      await pipeline(Readable.from([bytes, bytes]), req); const res = await answered; let n = 0; await pipeline(res, new Writable({ write(c, _, done) { n += c.length; hash.update(c); setImmediate(done); } })); console.log(n, hash.digest("hex") === createHash("sha1").update(bytes).update(bytes).digest("hex"));
      const all = await Promise.all(Array.from({ length: 20 }, (_, i) => fetch(url, { method: "POST", body: "n" + i }).then((r) => r.text()))); console.log(all.join());
      server.close(); });`,
    "300000 true\n" +
    "600000 true\n" +
    "n0,n1,n2,n3,n4,n5,n6,n7,n8,n9,n10,n11,n12,n13,n14,n15,n16,n17,n18,n19\n",
  ],
  [
    "a handler that throws, or never answers, is told of",
    `const http = require("http"); const server = http.createServer((req, res) => { res.on("close", () => console.log("closed", res.writableFinished)); if (req.url === "/throw") throw new Error("in the handler"); });
    process.on("uncaughtException", (e) => { console.log("uncaught", e.message); request.destroy(); server.close(); });
    let request; server.listen(0, () => { request = http.get("http://localhost:" + server.address().port + "/throw").on("error", (e) => console.log(e.code)); });`,
    "uncaught in the handler\n" +
    "ECONNRESET\n" +
    "closed false\n",
  ],
];

for (const [name, code, printed] of PROGRAMS) {
  Deno.test(name, async () => {
    const { stdout, stderr, status } = await new Session().run(code);
    assert.deepEqual([stdout, stderr, status], [printed, "", "completed"]);
  });
}

Deno.test("a server can be asked in later calls, and its port taken over", async () => {
  const session = new Session();
  await session.run(`require("http").createServer((req, res) => res.end("first")).listen(3000)`);
  const ask = `console.log(await (await fetch("http://localhost:3000")).text())`;
  assert.equal((await session.run(ask)).stdout, "first\n");
  await session.run(`require("http").createServer((req, res) => res.end("second")).listen(3000)`);
  assert.equal((await session.run(ask)).stdout, "second\n");
});

Deno.test("what is not in the program is not reached", async () => {
  const session = new Session();
  const { stdout } = await session.run(`const http = require("http");
    for (const url of ["http://example.com/", "http://127.0.0.1.example.com/", "http://192.168.0.1/"]) {
      try { http.get(url); } catch (e) { console.log(e.code); }
      await fetch(url).catch((e) => console.log(e.message.includes("no network")));
    }
    const server = http.createServer((req, res) => res.writeHead(302, { Location: "http://example.com/" }).end()).listen(0);
    await fetch("http://localhost:" + server.address().port).catch((e) => console.log(e.message.includes("no network")));`);
  assert.equal(stdout, `${"ERR_FEATURE_UNAVAILABLE_ON_PLATFORM\ntrue\n".repeat(3)}true\n`);
});
