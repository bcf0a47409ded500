const fs = require("fs");
const zlib = require("zlib");
const { Transform } = require("stream");
const { pipeline } = require("stream/promises");
const readline = require("readline");

class LineCounter extends Transform {
  lines = 0;
  _transform(chunk, _encoding, callback) {
    for (const byte of chunk) if (byte === 10) this.lines++;
    callback(null, chunk);
  }
}

async function main() {
  fs.writeFileSync("big.txt", Array.from({ length: 1000 }, (_, i) => `line ${i}`).join("\n") + "\n");
  const counter = new LineCounter();
  await pipeline(
    fs.createReadStream("big.txt"),
    counter,
    zlib.createGzip(),
    fs.createWriteStream("big.txt.gz"),
  );
  console.log("lines", counter.lines, fs.statSync("big.txt.gz").size < fs.statSync("big.txt").size);

  await pipeline(fs.createReadStream("big.txt.gz"), zlib.createGunzip(), fs.createWriteStream("copy.txt"));
  console.log(fs.readFileSync("copy.txt").equals(fs.readFileSync("big.txt")));

  const rl = readline.createInterface({ input: fs.createReadStream("copy.txt"), crlfDelay: Infinity });
  let sum = 0;
  for await (const line of rl) sum += Number(line.split(" ")[1]);
  console.log("sum", sum);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
