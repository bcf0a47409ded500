import { deepEqual, equal, match } from "node:assert/strict";
import { errorOf, RAISED, Session } from "../../../support/python_harness.ts";

const python = new Session();

async function errorFrom(code: string) {
  const error = errorOf(await python.run(code));
  return [error?.type ?? "", error?.message ?? ""] as const;
}

for (
  const code of [
    "import subprocess; subprocess.run(['ls', '-l'])",
    "import subprocess; subprocess.check_output('ls | wc', shell=True)",
    "import os; os.system('ls')",
    "import os; os.popen('ls').read()",
    "import asyncio; await asyncio.create_subprocess_exec('ls')",
    "import asyncio; await asyncio.create_subprocess_shell('ls')",
    "import os; os.execvp('ls', ['ls'])",
  ]
) {
  Deno.test(`a process is refused with what works instead: ${code}`, async () => {
    const [, message] = await errorFrom(code);
    match(message, /^no processes: .*can't start '(\/usr\/bin\/)?ls.*execute_code\(language="shell"\)$/);
    const caught = await python.run(
      `try:\n    ${code.replace("; ", "\n    ")}\nexcept FileNotFoundError: print(1)`,
    );
    equal(caught.stdout, "1\n");
  });
}

Deno.test("who starts Python or pip is told what does the same here", async () => {
  match((await errorFrom("import subprocess, sys; subprocess.run([sys.executable, 'a.py'])"))[1], /runpy/);
  match(
    (await errorFrom("import subprocess; subprocess.run('pip install x', shell=True)"))[1],
    /install_package/,
  );
});

Deno.test("there is no fork, which programs ask for, and who calls it is told why", async () => {
  const [type, message] = await errorFrom("import os; assert not hasattr(os, 'fork'); os.fork()");
  equal(type, "AttributeError");
  match(message, /no processes: .*can't fork/);
});

for (
  const [code, type] of [
    ["import urllib.request; urllib.request.urlopen('https://example.com')", "URLError"],
    ["import http.client; http.client.HTTPSConnection('example.com').request('GET', '/')", "gaierror"],
    ["import smtplib; smtplib.SMTP('mail.example.com')", "gaierror"],
    ["import socket; socket.getaddrinfo('example.com', 80)", "gaierror"],
    ["import socket; socket.create_connection(('192.0.2.1', 80))", "OSError"],
    ["import socket; socket.socket().connect(('192.0.2.1', 80))", "OSError"],
    ["import asyncio; await asyncio.open_connection('192.0.2.1', 80)", "OSError"],
  ] as const
) {
  Deno.test(`a connection fails with "no network": ${code}`, async () => {
    const [found, message] = await errorFrom(code);
    match(found, new RegExp(`${type}$`));
    match(message, /there is no network here \(the sandbox reaches no other computer\)/);
  });
}

Deno.test("sockets refuse what can't be as others do", async () => {
  const outcome = await new Session().run(`import errno, os, select, socket
${RAISED}s, closed, number = socket.socket(), socket.socket(), os.open("f", os.O_CREAT | os.O_WRONLY)
closed.close(); os.close(number)
raised(OverflowError, s.listen, 2**31); raised(OverflowError, s.shutdown, 2**31); raised(ValueError, s.recv, -1)
raised(ValueError, socket.setdefaulttimeout, -1); raised(ValueError, select.select, [], [], [], -1)
assert raised(OSError, closed.setblocking, False).errno == raised(OSError, closed.settimeout, 1).errno == errno.EBADF
assert raised(OSError, select.select, [number], [], [], 0).errno == errno.EBADF
open("taken", "w").close()
assert raised(OSError, socket.socket(socket.AF_UNIX).bind, "taken").errno == errno.EADDRINUSE`);
  equal(outcome.status, "completed", JSON.stringify(outcome));
});

Deno.test("sockets can be made, paired and used within the program", async () => {
  const value = await python.value(`import socket, threading, select
a, b = socket.socketpair()
a.sendall(b"pair"); got = [b.recv(10)]
listener = socket.create_server(("localhost", 0))
def serve():
    with listener.accept()[0] as s: s.sendall(s.recv(9)[::-1])
t = threading.Thread(target=serve); t.start()
with socket.create_connection(listener.getsockname()) as s:
    s.sendall(b"123"); got.append(s.recv(9)); got.append(s.recv(9))
t.join(); listener.close()
try: socket.create_connection(("localhost", 1))
except ConnectionRefusedError: got.append("refused")
got + [select.select([b], [], [], 0.01), socket.inet_ntop(socket.AF_INET6, socket.inet_pton(socket.AF_INET6, "::1"))]`);
  equal(value, `[b'pair', b'321', b'', 'refused', ([], [], []), '::1']`);
});

Deno.test("a datagram's socket that is connected gets its answers, and ends nobody's reading when it is closed", async () => {
  const value = await python.value(`import socket
server, one, two = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3))
server.bind(("127.0.0.1", 0)); server.settimeout(1); got = []
for each in one, two:
    each.settimeout(1); each.connect(server.getsockname()); each.send(b"ask")
    data, sender = server.recvfrom(9); server.sendto(data[::-1], sender)
    got += [each.recv(9), sender == each.getsockname()]; each.close()
server.settimeout(0)
try: server.recv(9)
except BlockingIOError: got.append("waits")
got`);
  equal(value, `[b'ksa', True, b'ksa', True, 'waits']`);
});

Deno.test("an HTTP server in a thread answers its clients of the same program", async () => {
  const value = await python.value(`import http.server, threading, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(self.path.encode())
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
bodies = [urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{n}").read() for n in range(3)]
server.shutdown(); bodies`);
  equal(value, "[b'/0', b'/1', b'/2']");
});

Deno.test("ssl can be imported and configured; a handshake is refused", async () => {
  equal(
    await python.value(`import ssl, socket
c = ssl.create_default_context(); c.minimum_version = ssl.TLSVersion.TLSv1_2
c.check_hostname, c.verify_mode.name, issubclass(ssl.SSLCertVerificationError, ssl.SSLError)`),
    "(True, 'CERT_REQUIRED', True)",
  );
  const [type, message] = await errorFrom(
    "a, b = socket.socketpair(); c.wrap_socket(a, server_hostname='x')",
  );
  deepEqual([type, /there is no network here .*no TLS/.test(message)], ["ssl.SSLError", true]);
});

Deno.test("poll and epoll know sockets, pipes and threads", async () => {
  const value = await python.value(`import os, select, selectors, socket, threading, time
a, b = socket.socketpair(); r, w = os.pipe()
polled, epolled = select.poll(), select.epoll()
polled.register(a, select.POLLIN); polled.register(r, select.POLLIN)
epolled.register(a.fileno(), select.EPOLLIN | select.EPOLLOUT | select.EPOLLONESHOT)
got = [polled.poll(10), [events for _, events in epolled.poll(0)], epolled.poll(0)]
def later():
    time.sleep(0.01); b.send(b"x")
threading.Thread(target=later).start()
got += [polled.poll() == [(a.fileno(), select.POLLIN)], epolled.poll(0)]
epolled.modify(a, select.EPOLLIN); got.append(len(epolled.poll()))
os.write(w, b"1"); got.append(len(polled.poll(0)))
b.close(); polled.modify(a, select.POLLOUT); got.append(polled.poll(0)[0][1] & select.POLLHUP > 0)
for wrong in (lambda: epolled.register(a), lambda: epolled.modify(b"", 0), lambda: polled.modify(5, 0), lambda: epolled.register(9999), lambda: epolled.modify(a, select.EPOLLET)):
    try: wrong()
    except (OSError, TypeError) as error: got.append(type(error).__name__)
epolled.close(); got + [epolled.closed, selectors.DefaultSelector.__name__]`);
  equal(
    value,
    "[[], [4], [], True, [], 1, 2, True, 'FileExistsError', 'TypeError', 'FileNotFoundError', 'OSError', 'OSError', True, 'SelectSelector']",
  );
});
