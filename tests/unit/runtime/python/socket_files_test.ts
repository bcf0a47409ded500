/** What socket.makefile() gives to read from, and servers that read by it. */

import { deepEqual, equal } from "node:assert/strict";
import { errorOf, Session } from "../../../support/python_harness.ts";

Deno.test("a server that reads line by line answers each line, also to a client that does the same", async () => {
  const outcome = await new Session().run(`import socket, socketserver, threading
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile: self.wfile.write(b"echo:" + line)
class Server(socketserver.ThreadingTCPServer): daemon_threads = True
def ask(lines):
    with socket.create_connection(server.server_address) as s, s.makefile("rw", encoding="utf-8") as f:
        for line in lines:
            print(line, file=f, flush=True); print(f.readline().strip())
        s.shutdown(socket.SHUT_WR); print(f.read(), list(f), f.closed)
with Server(("localhost", 0), Handler) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ask(["a", "é"])
    both = [threading.Thread(target=ask, args=([f"{n}{n}", "x"],)) for n in range(2)]
    [each.start() for each in both]; [each.join() for each in both]
    server.shutdown()`);
  deepEqual([errorOf(outcome)?.traceback, outcome.stderr], [undefined, ""]);
  deepEqual(outcome.stdout.split("\n").slice(0, 3), ["echo:a", "echo:é", " [] False"]);
  deepEqual(outcome.stdout.split("\n").slice(3).sort(), [
    "",
    " [] False",
    " [] False",
    "echo:00",
    "echo:11",
    "echo:x",
    "echo:x",
  ]);
});

Deno.test("what a socket's file reads is what it reads elsewhere", async () => {
  const value = await new Session().value(`import socket
a, b = socket.socketpair()
b.sendall(b"ab\\ncdef\\n1234567\\nxy\\r\\nz" + b"-" * 20000); b.shutdown(socket.SHUT_WR)
f, into = a.makefile("rb"), bytearray(4)
got = [f.readline(1), f.readline(9), f.read1(2), f.peek()[:2], f.read(3), f.readinto(into), into, f.readline(), next(f), f.readlines()]
got[-1] = [len(each) for each in got[-1]]; f.close(); a.close()
try: f.read()
except ValueError as error: got.append(str(error))
got + [f.closed, a.fileno()]`);
  equal(
    value,
    "[b'a', b'b\\n', b'cd', b'ef', b'ef\\n', 4, bytearray(b'1234'), b'567\\n', b'xy\\r\\n', [20001], " +
      "'I/O operation on closed file.', True, -1]",
  );
});

Deno.test("a server that greets its clients is heard before they ask", async () => {
  const value = await new Session().value(`import smtplib, socketserver, threading
class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        say = lambda text: self.wfile.write(text.encode() + b"\\r\\n")
        say("220 hello"); kept = None
        for line in self.rfile:
            line = line.decode().strip()
            if kept is not None and line != ".": kept.append(line)
            elif line.upper() == "DATA": kept = []; say("354 go on")
            elif line.upper() == "QUIT": say("221 bye"); break
            else: kept is None or mails.append(kept); kept = None; say("250 fine")
mails = []
with socketserver.TCPServer(("localhost", 0), Handler) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with smtplib.SMTP("localhost", server.server_address[1], timeout=5) as client: client.sendmail("a@b", "c@d", "Subject: x\\n\\nhi")
    server.shutdown()
mails`);
  equal(value, "[['Subject: x', '', 'hi']]");
});

Deno.test("a server that is closed while it serves tells nobody who waits elsewhere", async () => {
  const outcome = await new Session().run(`import socketserver, threading, time
server = socketserver.TCPServer(("localhost", 0), socketserver.StreamRequestHandler)
thread = threading.Thread(target=server.serve_forever, daemon=True); thread.start()
time.sleep(.01); server.server_close(); time.sleep(.01); thread.join(1); print(thread.is_alive())`);
  deepEqual([errorOf(outcome)?.traceback, outcome.stderr, outcome.stdout], [undefined, "", "False\n"]);
});
