const { Readable, Writable, Transform, pipeline, PassThrough, Duplex } = require("stream");
const { promisify } = require("util");
const fs = require("fs");
const zlib = require("zlib");
class Upper extends Transform {
  _transform(c, e, cb) {
    this.push(c.toString().toUpperCase());
    cb();
  }
  _flush(cb) {
    this.push("!");
    cb();
  }
}
const chunks = [];
const sink = new Writable({
  highWaterMark: 3,
  write(c, e, cb) {
    chunks.push(c.toString());
    setImmediate(cb);
  },
});
const src = Readable.from(["ab", "cd", "ef"]);
pipeline(src, new Upper(), sink, (err) => {
  console.log("done", err, chunks);
  fs.writeFileSync("/tmp/s.txt", "line1\nline2\n".repeat(1000));
  pipeline(fs.createReadStream("/tmp/s.txt"), zlib.createGzip(), fs.createWriteStream("/tmp/s.gz"), (e) => {
    console.log("gz", e, fs.statSync("/tmp/s.gz").size < 1000);
    let n = 0;
    fs.createReadStream("/tmp/s.gz").pipe(zlib.createGunzip()).on("data", (d) => n += d.length).on(
      "end",
      () => {
        console.log(n);
        step3();
      },
    );
  });
});
async function step3() {
  const r = new Readable({ objectMode: true, read() {} });
  r.push({ a: 1 });
  r.push({ a: 2 });
  r.push(null);
  console.log(await r.map((x) => x.a * 2).toArray());
  const bad = new Readable({
    read() {
      this.destroy(new Error("bad"));
    },
  });
  bad.on("error", (e) => console.log("error", e.message)).on("close", () => console.log("close"));
  await promisify(setTimeout)(5);
  const p = new PassThrough();
  p.end("hello");
  for await (const c of p) console.log(c);
  const w = new Writable({
    write(c, e, cb) {
      cb(new Error("disk full"));
    },
  });
  w.on("error", (e) => console.log(e.message, w.destroyed));
  w.write("x");
  console.log(
    r.readableEnded,
    sink.writableFinished,
    sink.writableHighWaterMark,
    new Readable().readableHighWaterMark,
  );
}
