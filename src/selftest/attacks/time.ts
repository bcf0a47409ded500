/** Setting clocks, the interpreter's idea of time, and odd lengths of time. */

import { calls, ends, family, javascript, python, raises, TIMES_OUT, yields } from "../attack.ts";

export const TIME = family("time", [
  python(
    "setting the clock",
    `
    import time
    [name for name in ("clock_settime", "clock_settime_ns", "adjtime") if hasattr(time, name) and getattr(time, name)(time.CLOCK_REALTIME, 0) is None]
    `,
    { ...yields("[]"), status: ["completed", "failed"], result: /^(\[\]|null)$/, says: "gains nothing" },
  ),
  python(
    "a clock that stands still",
    `
    import time, _wasmbox_asyncio
    time.time = time.monotonic = time.perf_counter = lambda: 0.0
    while True: pass
    `,
    TIMES_OUT,
    { timeout: 0.4, tampers: true },
  ),
  python("sleeping backwards", `import time\ntime.sleep(-1)`, raises(/ValueError/)),
  python("sleeping not-a-number seconds", `import time\ntime.sleep(float("nan"))`, raises(/ValueError/)),
  python("sleeping for ever", `import time\ntime.sleep(float("inf"))`, ends("failed", "timeout"), {
    timeout: 0.4,
  }),
  python(
    "times of files beyond all calendars",
    `import os\nopen("f", "w").close()\nos.utime("f", ns=(2**63 - 1, 2**63 - 1))\nos.utime("f", (-1e10, 1e18))`,
    ends("completed", "failed"),
  ),
  javascript(
    "a Date that stands still",
    `Date.now = performance.now = () => 0; globalThis.Date = class { static now() { return 0; } }; while (true);`,
    TIMES_OUT,
    {
      timeout: 0.4,
      tampers: true,
    },
  ),
  javascript(
    "timers of odd lengths",
    `
    let fired = 0;
    for (const ms of [NaN, -1, -Infinity, Infinity, 2 ** 40, "x", null, {}, 1e-300]) setTimeout(() => fired++, ms);
    await new Promise((resolve) => setTimeout(resolve, 50));
    fired > 0
    `,
    ends("completed", "timeout"),
    { timeout: 1 },
  ),
  javascript(
    "a timer that fires in the next run",
    `
    setTimeout(() => { globalThis.marker = "late"; }, 600);
    while (true);
    `,
    TIMES_OUT,
    { timeout: 0.4 },
  ),
  calls("a time-out of no length, or of all", "each is refused", async ({ call, session }) => {
    const attempts: unknown[] = [0, -1, 1e300, "5s", [], { valueOf: 1 }, true, 3601];
    const through: unknown[] = [];
    for (const timeout of attempts) {
      const { isError, fault } = await call("execute_code", { code: "1", timeout, session_id: session });
      if (!isError && !fault) through.push(timeout);
    }
    return {
      refused: through.length === 0,
      got: `${attempts.length} tried, through: ${JSON.stringify(through)}`,
    };
  }),
  calls("a time-out of a nanosecond", "times out", async ({ run }) => {
    const { status, state } = await run("python", "while True: pass", { timeout: 1e-9 });
    return { refused: status === "timeout", got: `${status}, ${state}` };
  }),
]);
