import { childrenOf, TestServer } from "../tests/support/harness.ts";
const s = await TestServer.start();
for (let k = 0; k < 500; k++) await s.python("1+1");
const ex = childrenOf(s.transport.pid!)[0]!;
const p = new Deno.Command("perf", {
  args: ["record", "-g", "-o", "/tmp/perf.data", "-p", `${ex},${s.transport.pid}`, "--", "sleep", "5"],
  stdout: "null",
  stderr: "inherit",
}).spawn();
const end = performance.now() + 6000;
let n = 0;
while (performance.now() < end) {
  await s.python("1+1");
  n++;
}
await p.status;
console.log("calls", n);
await s[Symbol.asyncDispose]();
Deno.exit(0);
