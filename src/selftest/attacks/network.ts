/** Reaching the network; a listener on the loopback of the host sees whether anything arrives. */

import { family, GAINS_NOTHING, javascript, python, raises } from "../attack.ts";

const NO_NETWORK = raises(
  /OSError|AttributeError|URLError|ConnectionError|RuntimeError|NotImplementedError|gaierror|ConnectionRefusedError/,
);

export const NETWORK = family("network", [
  python(
    "a socket",
    `
    import socket
    s = socket.socket()
    s.connect(("127.0.0.1", $PORT))
    `,
    NO_NETWORK,
  ),
  python(
    "socket.create_connection",
    `
    import socket
    socket.create_connection(("127.0.0.1", $PORT), timeout=2)
    `,
    NO_NETWORK,
  ),
  python(
    "every descriptor as a connected socket",
    `
    import socket
    gained = []
    for fd in range(256):
        try:
            s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=fd)
            s.detach
        except (OSError, AttributeError): continue
        for attempt in ("connect", "send", "recv", "accept", "listen", "bind"):
            argument = {"connect": ("127.0.0.1", $PORT), "bind": ("127.0.0.1", 0), "send": b"x", "recv": 1, "listen": 1}.get(attempt)
            try: gained.append((fd, attempt, getattr(s, attempt)(*[argument] if argument else [])))
            except (OSError, AttributeError, TypeError): pass
        s.detach()
    gained
    `,
    GAINS_NOTHING,
  ),
  python("urllib", `import urllib.request\nurllib.request.urlopen("http://127.0.0.1:$PORT/")`, NO_NETWORK),
  python(
    "http.client",
    `import http.client\nhttp.client.HTTPConnection("127.0.0.1", $PORT).request("GET", "/")`,
    NO_NETWORK,
  ),
  python(
    "asyncio.open_connection",
    `import asyncio\nawait asyncio.wait_for(asyncio.open_connection("127.0.0.1", $PORT), 5)`,
    NO_NETWORK,
  ),
  python(
    "asyncio.start_server",
    `import asyncio\nawait asyncio.start_server(print, "192.0.2.1", 0)`,
    NO_NETWORK,
  ),
  python("resolving a name", `import socket\nsocket.getaddrinfo("example.com", 80)`, NO_NETWORK),
  python("sending mail", `import smtplib\nsmtplib.SMTP("127.0.0.1", $PORT, timeout=2)`, NO_NETWORK),
  javascript(
    "fetch and its relatives",
    `
    const gained = [];
    for (const name of ["XMLHttpRequest", "WebSocketStream", "WebTransport", "RTCPeerConnection"]) if (name in globalThis) gained.push(name);
    const url = "http://127.0.0.1:$PORT/x";
    try { gained.push(await fetch(url)); } catch {}
    for (const kind of [WebSocket, EventSource]) {
      for (const scheme of ["http", "ws"]) try { gained.push(new kind(url.replace("http", scheme))); } catch {}
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript("import of an http URL", `await import("http://127.0.0.1:$PORT/x.js")`, raises(/Cannot find/)),
  javascript(
    "Node's network modules",
    `
    const gained = [];
    const doors = {
      https: ["get", "request", "createServer"], http2: ["connect", "createServer"], tls: ["connect", "createServer"], dgram: ["createSocket"],
      dns: ["lookup", "resolve", "resolve4"], "dns/promises": ["lookup", "resolve"], inspector: ["open", "Session"], undici: ["fetch", "request"] };
    for (const [name, members] of Object.entries(doors)) {
      for (const specifier of [name, "node:" + name]) {
        const found = [];
        try { found.push(await import(specifier)); } catch {}
        try { found.push(require(specifier)); } catch {}
        for (const module of found) {
          for (const value of members.map((member) => (module.default ?? module)[member])) {
            try { gained.push([specifier, await value("http://127.0.0.1:$PORT/x")]); } catch {}
            try { gained.push([specifier, new value($PORT, "127.0.0.1")]); } catch {}
          }
        }
      }
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "Node's net, which has the servers of its own program",
    `
    const net = require("net");
    const gained = [];
    for (const place of [[$PORT, "127.0.0.1"], [$PORT, "localhost"], [{ port: $PORT, host: "::1" }], [80, "example.com"], ["/var/run/docker.sock"]]) {
      const socket = net.connect(...place);
      await new Promise((resolve) => socket.on("error", resolve).on("close", resolve).on("connect", () => resolve(gained.push(place))));
    }
    gained
    `,
    GAINS_NOTHING,
  ),
  javascript(
    "Node's http, which has the servers of its own program",
    `
    const http = require("http"), gained = [];
    const asked = (url) => new Promise((resolve) => {
      try { http.request(url).on("response", (answer) => resolve(gained.push(answer.statusCode))).on("error", resolve).end(); } catch { resolve(); }
    });
    for (const host of ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "example.com"]) {
      const url = "http://" + host + ":$PORT/x";
      await asked(url);
      try { gained.push((await fetch(url)).status); } catch {}
    }
    gained
    `,
    GAINS_NOTHING,
  ),
]);
