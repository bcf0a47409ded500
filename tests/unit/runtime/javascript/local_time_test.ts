/** Local time: what `TZ` says it is. */

import { equal, match } from "node:assert/strict";
import { Session } from "../../../support/javascript_harness.ts";

const inZone = (zone: string, code: string) => `process.env.TZ = ${JSON.stringify(zone)}; ${code}`;

Deno.test("dates and Intl follow the zone that TZ names, from when it is set until it is taken away", async () => {
  const session = new Session();
  const shown =
    "[new Date(0).toString(), new Date(0).getHours(), Intl.DateTimeFormat().resolvedOptions().timeZone]";
  equal(
    await session.value(inZone("America/Los_Angeles", `${shown}.join()`)),
    "'Wed Dec 31 1969 16:00:00 GMT-0800 (Pacific Standard Time),16,America/Los_Angeles'",
  );
  equal(await session.value("new Date(0).toLocaleString()"), "'12/31/1969, 4:00:00 PM'");
  equal(
    await session.value(inZone("Europe/Paris", `${shown}.join()`)),
    "'Thu Jan 01 1970 01:00:00 GMT+0100 (Central European Standard Time),1,Europe/Paris'",
  );
  equal(
    await session.value(`delete process.env.TZ; ${shown}.join()`),
    "'Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time),0,UTC'",
  );
});

Deno.test("a local time is the first of two, and as before the change where it is left out", async () => {
  const session = new Session();
  for (
    const [zone, time, iso] of [
      ["America/Los_Angeles", "2024, 2, 10, 2, 30", "2024-03-10T10:30:00.000Z"],
      ["America/Los_Angeles", "2024, 2, 10, 1, 59", "2024-03-10T09:59:00.000Z"],
      ["America/Los_Angeles", "2024, 2, 10, 3", "2024-03-10T10:00:00.000Z"],
      ["America/Los_Angeles", "2024, 10, 3, 1, 30", "2024-11-03T08:30:00.000Z"],
      ["America/Los_Angeles", "2024, 10, 3, 2", "2024-11-03T10:00:00.000Z"],
      ["Australia/Lord_Howe", "2024, 3, 7, 1, 45", "2024-04-06T14:45:00.000Z"],
      ["Asia/Kolkata", "'2024-07-01T12:00'", "2024-07-01T06:30:00.000Z"],
      ["Asia/Kolkata", "'2024-07-01'", "2024-07-01T00:00:00.000Z"],
      ["Europe/Paris", "'Jul 1, 2024 12:00'", "2024-07-01T10:00:00.000Z"],
      ["Europe/Paris", "new Date(2024, 2, 30, 2, 30).setDate(31)", "2024-03-31T01:30:00.000Z"],
    ] as const
  ) {
    equal(
      await session.value(inZone(zone, `new Date(${time}).toISOString()`)),
      `'${iso}'`,
      `${zone} ${time}`,
    );
  }
});

Deno.test("zones can be named as in C; of what is none a line tells once", async () => {
  const session = new Session();
  for (
    const [zone, offset] of [["JST-9", -540], ["UTC+3", 180], ["<+0530>-5:30", -330], [":Asia/Tokyo", -540], [
      "",
      0,
    ]] as const
  ) equal(await session.value(inZone(zone, "new Date(0).getTimezoneOffset()")), `${offset}`, zone);
  const ran = await session.run(
    inZone("Mars/Base", "process.env.TZ = 'Mars/Base'; console.log(new Date(0).getHours())"),
  );
  equal(ran.stdout, "0\n");
  match(ran.stderr, /^TZ=Mars\/Base is no time zone that is known here: local times are UTC\n$/);
});

Deno.test("looking for a zone is charged as fuel", async () => {
  const session = new Session();
  const code = "for (let i = 0; i < 2000; i++) process.env.TZ = i % 2 ? 'Asia/Tokyo' : 'Europe/Paris';";
  equal((await session.run(code, { fuelBudget: 20_000_000 })).status, "out_of_fuel");
});
