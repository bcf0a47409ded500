const os = require("os");
const path = require("path");
const { performance } = require("perf_hooks");

console.log(os.platform(), os.EOL === "\n", typeof os.cpus().length, os.tmpdir(), path.sep, os.type());
console.log(
  process.platform,
  process.version.split(".")[0],
  process.argv.length >= 1,
  typeof process.pid,
  process.exitCode,
);
const start = process.hrtime.bigint();
const t = performance.now();
let x = 0;
for (let i = 0; i < 1e5; i++) x += i;
console.log(x, process.hrtime.bigint() > start, performance.now() >= t, process.uptime() > 0);
console.log(typeof process.memoryUsage().heapUsed, typeof process.env.PATH !== "number", process.env.NOPE);
process.env.MODE = 1;
console.log(process.env.MODE, "MODE" in process.env, process.title, typeof process.nextTick);
process.stdout.write("no newline");
process.stdout.write(" then one\n");
console.error("to stderr");
console.log("%c styled %s %d%%", "color: red", "text", 50, { extra: true });
console.group("group");
console.log("indented");
console.groupEnd();
console.log(__filename.endsWith(".js"), typeof require.resolve, require.main === module);
