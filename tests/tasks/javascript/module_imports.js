import * as ns from "node:path";
import def, { join as j } from "node:path";
import { readFileSync as rf } from "fs";
export { ns };
console.log(
  typeof ns.default,
  def === ns.default,
  j("a", "b"),
  rf.name,
  Object.keys(ns).includes("sep"),
  ns[Symbol.toStringTag],
);
import process from "node:process";
import { Buffer } from "node:buffer";
import { setTimeout as st } from "node:timers/promises";
import { json, text } from "node:stream/consumers";
import { Readable } from "node:stream";
console.log(
  await text(Readable.from(["a", "b"])),
  await json(Readable.from(['{"a":1}'])),
  process.argv0.length > 0,
);
import { inspect, styleText } from "node:util";
console.log(JSON.stringify(styleText?.("red", "x")));
import { builtinModules, isBuiltin } from "node:module";
console.log(isBuiltin("fs"), isBuiltin("node:test"), builtinModules.includes("http"));
import diag from "node:diagnostics_channel";
const ch = diag.channel("x");
ch.subscribe((m, n) => console.log(m, n));
ch.publish({ a: 1 });
import { EOL } from "os";
console.log(JSON.stringify(EOL));
import { scheduler } from "node:timers/promises";
await scheduler.wait(1);
import { finished, pipeline } from "node:stream/promises";
await pipeline(Readable.from([1]), async function* (s) {
  for await (const x of s) yield x + 1;
}, async (s) => {
  for await (const x of s) console.log(x);
});
import { CompressionStream, ReadableStream, TransformStream } from "node:stream/web";
const rs = new ReadableStream({
  start(c) {
    c.enqueue("q");
    c.close();
  },
});
for await (const c of rs) console.log(c);
console.log(
  await new Response(
    new Blob(["zz"]).stream().pipeThrough(new CompressionStream("gzip")).pipeThrough(
      new DecompressionStream("gzip"),
    ),
  ).text(),
);
