import { VirtualClock } from "../../../../src/control/guest_clock.ts";
import { equal, match } from "node:assert/strict";
import { errorOf, Session } from "../../../support/python_harness.ts";

Deno.test("await works at top level, with sleep, gather and timeout", async () => {
  const python = new Session();
  await python.run("import asyncio\nasync def give(v, s=0):\n    await asyncio.sleep(s)\n    return v");
  equal(await python.value("await give(1)"), "1");
  equal(await python.value("x = await asyncio.gather(give(1, .01), give(2))\nx"), "[1, 2]");
  equal(await python.value("[v async for v in (await give(n) for n in (1, 2))]"), "[1, 2]");
  equal(await python.value("asyncio.run(give(3))"), "3");
  const code = "async with asyncio.timeout(0.01):\n    await give(1, 60)";
  equal(errorOf(await python.run(code))?.type, "TimeoutError");
  equal(await python.value("x"), "[1, 2]");
});

Deno.test("waiting for what can't happen is an error, not a hang, and does not come back", async () => {
  const python = new Session();
  const outcome = await python.run("import asyncio\nawait asyncio.Event().wait()");
  match(errorOf(outcome)?.message ?? "", /deadlock/);
  equal(await python.value("await asyncio.sleep(0.01)\nlen(asyncio.all_tasks())"), "1");
});

Deno.test("a task goes on in the next call that awaits", async () => {
  const python = new Session();
  await python.run(`import asyncio
ticks = []
async def tick():
    for n in range(3):
        ticks.append(n)
        await asyncio.sleep(0.01)
    return "done"
task = asyncio.create_task(tick())
await asyncio.sleep(0)`);
  equal(await python.value("ticks, task.done()"), "([0], False)");
  equal(await python.value("await task"), "'done'");
  equal(await python.value("ticks"), "[0, 1, 2]");
});

Deno.test("asyncio.run below a top-level await is CPython's error", async () => {
  const code =
    "import asyncio\nawait asyncio.sleep(0)\nc = asyncio.sleep(0)\ntry: asyncio.run(c)\nfinally: c.close()";
  const error = errorOf(await new Session().run(code));
  equal(error?.message, "asyncio.run() cannot be called from a running event loop");
});

Deno.test("get_event_loop gives a loop at any time", async () => {
  const python = new Session();
  equal(
    await python.value(
      "import asyncio\nloop = asyncio.get_event_loop()\nloop.run_until_complete(asyncio.sleep(0, 1))",
    ),
    "1",
  );
  equal(
    await python.value(
      "asyncio.run(asyncio.sleep(0))\nasyncio.get_event_loop().run_until_complete(asyncio.sleep(0, 2))",
    ),
    "2",
  );
});

Deno.test("functions run in threads below a loop, side by side", async () => {
  const python = new Session({ clock: (cell) => new VirtualClock(cell) });
  const outcome = await python.run(`import asyncio, time
def work(n):
    time.sleep(0.05 - n / 100)
    print(n)
    return n
async def main():
    loop = asyncio.get_running_loop()
    print(await asyncio.gather(*(asyncio.to_thread(work, n) for n in range(3)), loop.run_in_executor(None, work, 3)))
asyncio.run(main())`);
  equal(outcome.stdout, "3\n2\n1\n0\n[0, 1, 2, 3]\n");
});

Deno.test("servers and clients of one program talk by localhost", async () => {
  const value = await new Session().value(`import asyncio
async def answer(reader, writer):
    writer.write((await reader.readline()).upper())
    writer.close()
server = await asyncio.start_server(answer, "localhost", 8080)
reader, writer = await asyncio.open_connection("localhost", 8080)
writer.write(b"hello\\n")
await reader.read()`);
  equal(value, String.raw`b'HELLO\n'`);
});

Deno.test("a program that says that there is no loop gets none, until the next program", async () => {
  const python = new Session();
  const gone = await python.run("import asyncio\nasyncio.set_event_loop(None)\nasyncio.get_event_loop()");
  match(errorOf(gone)?.message ?? "", /no current event loop/);
  equal(await python.value("asyncio.get_event_loop().is_closed()"), "False");
});

Deno.test("signals reach the handlers of a loop", async () => {
  const outcome = await new Session().run(`import asyncio, os, signal
async def main():
    loop, come = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, come.set)
    os.kill(os.getpid(), signal.SIGUSR1)
    await come.wait()
    print(loop.remove_signal_handler(signal.SIGUSR1), signal.SIGUSR1 in signal.valid_signals())
asyncio.run(main())`);
  equal(outcome.stdout, "True True\n", JSON.stringify(outcome));
});

Deno.test("threads go on below a loop whose selector never waits", async () => {
  const value = await new Session().value(`import asyncio, concurrent.futures, selectors
class Hasty(selectors.SelectSelector):
    def select(self, timeout=None):
        return []
class Loop(asyncio.BaseEventLoop):
    _selector = Hasty()
    def _process_events(self, events): pass
    def _write_to_self(self): pass
loop = Loop()
loop.run_until_complete(loop.run_in_executor(None, sum, [1, 2]))`);
  equal(value, "3");
});

Deno.test("a loop that runs in a thread does what other threads ask of it", async () => {
  const outcome = await new Session().run(`import asyncio, threading
loop = asyncio.new_event_loop()
thread = threading.Thread(target=loop.run_forever, daemon=True); thread.start()
for n in range(2): print(asyncio.run_coroutine_threadsafe(asyncio.sleep(0.001, n), loop).result())
loop.call_soon_threadsafe(loop.stop); thread.join(); print(loop.is_running())`);
  equal(outcome.stdout + outcome.stderr, "0\n1\nFalse\n");
});

Deno.test("anyio's portals are served, call after call, and its worker threads' functions are called", async () => {
  const python = new Session();
  python.fs.mkdir("/app/anyio");
  const write = (name: string, text: string) =>
    python.fs.writeFile(`/app/anyio/${name}.py`, new TextEncoder().encode(text));
  write("__init__", "from . import from_thread, lowlevel, to_thread");
  write("lowlevel", "import asyncio\nasync def checkpoint(): await asyncio.sleep(0)");
  write("to_thread", "run_sync = None");
  write(
    "from_thread",
    `import asyncio
start_blocking_portal = None
class BlockingPortal:
    async def __aenter__(self):
        self.loop, self.stopped = asyncio.get_running_loop(), asyncio.Event()
        return self
    async def __aexit__(self, *error): pass
    async def sleep_until_stopped(self): await self.stopped.wait()
    async def stop(self, cancel): self.stopped.set()
    def call(self, function, *args): return asyncio.run_coroutine_threadsafe(function(*args), self.loop).result()`,
  );
  equal(
    await python.value(`import anyio, asyncio, threading
async def half(n):
    await asyncio.sleep(0.001)
    return threading.current_thread() is not threading.main_thread(), await anyio.to_thread.run_sync(lambda: n // 2)
results = []
for _ in range(2):
    with anyio.from_thread.start_blocking_portal() as portal:
        for n in (2, 4): results.append(portal.call(half, n))
results, threading.active_count()`),
    "([(True, 1), (True, 2), (True, 1), (True, 2)], 1)",
  );
});

Deno.test("endpoints of datagrams answer each other", async () => {
  const code = `import asyncio
class Echo(asyncio.DatagramProtocol):
    def connection_made(self, transport): self.transport = transport
    def datagram_received(self, data, sender): self.transport.sendto(data[::-1], sender)
class Ask(asyncio.DatagramProtocol):
    def connection_made(self, transport): transport.sendto(b"ask")
    def datagram_received(self, data, sender): answer.set_result(data)
loop = asyncio.get_running_loop(); answer = loop.create_future()
server, _ = await loop.create_datagram_endpoint(Echo, local_addr=("127.0.0.1", 0))
client, _ = await loop.create_datagram_endpoint(Ask, remote_addr=server.get_extra_info("sockname"))
got = await asyncio.wait_for(answer, 5); client.close(); server.close()
got`;
  equal(await new Session().value(code), "b'ksa'");
});
