/** signal.alarm and signal.setitimer: what rings in the middle of a program. */

import { deepEqual, equal } from "node:assert/strict";
import { VirtualClock } from "../../../../src/control/guest_clock.ts";
import { errorOf, Session } from "../../../support/python_harness.ts";

const LIMIT = `import signal, time
class Late(Exception): pass
def late(number, frame): raise Late(signal.Signals(number).name)
signal.signal(signal.SIGALRM, late)
def limited(seconds, work):
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return work()
    except Late as error:
        return str(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
def spin():
    while True: pass
`;

Deno.test("a program that computes for ever is ended by its own alarm, and goes on", async () => {
  const session = new Session();
  equal(
    await session.value(`${LIMIT}[limited(.05, spin), limited(5, lambda: 42), limited(.05, spin)]`),
    "['SIGALRM', 42, 'SIGALRM']",
  );
});

Deno.test("an alarm ends a sleep, and others come again and again", async () => {
  const session = new Session({ clock: (cell) => new VirtualClock(cell) });
  const code = `${LIMIT}begun = time.monotonic()
result = limited(2, lambda: time.sleep(100))
rung = []
signal.signal(signal.SIGALRM, lambda number, frame: rung.append(round(time.monotonic() - begun)))
before = signal.setitimer(signal.ITIMER_REAL, 1, 2)
time.sleep(6)
left = signal.getitimer(signal.ITIMER_REAL)
print(result, rung, before, [round(each) for each in left], signal.alarm(0))`;
  const { stdout } = await session.run(code);
  equal(stdout, "SIGALRM [3, 5, 7] (0.0, 0.0) [1, 2] 1\n");
});

Deno.test("an alarm that nobody handles ends the program, and one that is left rings in no later run", async () => {
  const session = new Session();
  const ended = await session.run(
    "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_DFL)\nsignal.alarm(1)\nwhile True: pass",
  );
  equal(ended.status, "exited");
  await session.run(`${LIMIT}signal.setitimer(signal.ITIMER_REAL, .01)`);
  const later = await session.run("import time\nt = time.monotonic()\nwhile time.monotonic() - t < .1: pass");
  deepEqual([later.status, errorOf(later)?.type], ["completed", undefined]);
});
