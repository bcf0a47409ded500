const { parseArgs, format, inspect, styleText } = require("util");

function run(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: {
        verbose: { type: "boolean", short: "v", default: false },
        output: { type: "string", short: "o" },
        include: { type: "string", multiple: true },
      },
      allowPositionals: true,
    });
    return { values: { ...values }, positionals };
  } catch (error) {
    return `${error.code}: ${error.message}`;
  }
}
console.log(run(["build", "-v", "--output=dist", "--include", "a", "--include", "b", "x.js"]));
console.log(run(["-vo", "out"]));
console.log(run(["--nope"]));
console.log(run(["--output"]));
console.log(run(["--", "-v"]));
console.log(
  format("%s has %d items: %j", "cart", 3, { a: [1] }),
  inspect({ deep: { a: { b: { c: {} } } } }, { depth: 1 }),
);
console.log(typeof styleText);
