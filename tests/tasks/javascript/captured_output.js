// Programs that look at their own output, warnings, signals and errors.
const { AsyncLocalStorage } = require("node:async_hooks");
const channels = require("node:diagnostics_channel");
const readline = require("node:readline");
const { Writable } = require("node:stream");
const { finished, pipeline } = require("node:stream/promises");
const { setTimeout: sleep } = require("node:timers/promises");

const lines = [];
const write = process.stdout.write;
process.stdout.write = (text) => lines.push(text) > 0;
console.log("captured %d", 1);
console.table([{ a: 1 }]);
process.stdout.write = write;
console.log(lines);
const broken = new Writable();
broken.write = () => {
  throw new Error("broken");
};
console.log(new console.Console(broken).log("nowhere"));

async function main() {
  process.on("warning", ({ name, code, message, detail }) => console.log([name, code, message, detail]));
  process.emitWarning("careful", { type: "MyWarning", code: "W1", detail: "more" });
  console.timeEnd("never begun");
  console.countReset("never counted");
  await sleep(1);

  process.on("SIGTERM", (name, number) => console.log(name, number));
  console.log(process.kill(process.pid, "SIGTERM"));
  await sleep(20);
  try {
    process.kill(process.pid, "SIGNOPE");
  } catch (error) {
    console.log(error.code, error.message);
  }

  const stop = new AbortController();
  const any = AbortSignal.any([stop.signal]);
  any.addEventListener("abort", () => console.log("any", any.reason === stop.signal.reason));
  stop.signal.addEventListener("abort", () => console.log("its source", any.aborted));
  stop.abort();

  const written = [];
  const source = new ReadableStream({
    start(to) {
      to.enqueue("a");
      to.close();
    },
  });
  await pipeline(source, new WritableStream({ write: (chunk) => void written.push(chunk) }));
  const bad = new ReadableStream({
    start(to) {
      to.error(new Error("no source"));
    },
  });
  await finished(bad).catch((error) => console.log(written, error.message));

  const storage = new AsyncLocalStorage();
  const channel = channels.channel("jobs");
  channel.bindStore(storage, ({ id }) => id);
  channel.subscribe((message, name) => console.log(name, message, storage.getStore()));
  console.log(channel.runStores({ id: 7 }, (word) => [word, storage.getStore()], undefined, "ran"));

  readline.cursorTo(process.stdout, 0);
  readline.clearLine(process.stdout, 1);
  console.log("progress");
  process.setUncaughtExceptionCaptureCallback((error) => console.log("caught", error.message));
  setTimeout(() => {
    throw new Error("thrown");
  });
  await sleep(5);
  process.setUncaughtExceptionCaptureCallback(null);
  process.on("beforeExit", () => {
    console.log("before the end");
    setTimeout(() => {}, 1).unref();
  });
}
main();
