import assert from "node:assert/strict";
import { type Surroundings, troublesOf } from "../../../src/commands/surroundings.ts";

const FINE: Surroundings = {
  openFiles: 1024,
  kernel: "6.12.48+deb13-amd64",
  machineBytes: 4 * 1024 ** 3,
  deno: "2.9.6",
};

Deno.test("a usual machine has no troubles", () => {
  assert.deepEqual(troublesOf(FINE), []);
  assert.deepEqual(troublesOf({ machineBytes: FINE.machineBytes, deno: "2.6.10" }), []);
});

Deno.test("each thing that is not as it should be is named, with what mends it", () => {
  const said = (less: Partial<Surroundings>) =>
    troublesOf({ ...FINE, ...less }).map(({ what, mend }) => `${what} → ${mend}`).join("\n");
  assert.match(
    said({ addressSpaceKib: 40_000_000 }),
    /^a process may have 38\.1 GiB of addresses.*LimitAS=infinity/,
  );
  assert.match(said({ openFiles: 64 }), /^a process may have 64 files open .*ulimit -n 4096/);
  assert.match(said({ kernel: "4.4.0" }), /^the kernel is 4\.4\.0 → take one of 4\.18 or later/);
  assert.match(
    said({ machineBytes: 512 * 1024 ** 2 }),
    /^there is 0\.5 GiB of memory .*policy\.memory_bytes/,
  );
  assert.match(said({ deno: "1.46.3" }), /^Deno 1\.46\.3 runs it/);
});
