// What console.log and util.inspect show of classes, options and what is seldom shown.
const util = require("node:util");
const { inspect } = util;

class Money {
  constructor(amount) {
    this.amount = amount;
  }
  [inspect.custom](depth, options, show) {
    return `Money<\n  ${show(this.amount, options)} ${options.currency ?? "EUR"}\n>`;
  }
}
class Day extends Date {}
class Pattern extends RegExp {}
class Stack extends Array {}
class Table extends Map {}
class Node {}

console.log({ price: { net: new Money(5) } });
console.log(inspect(new Money(7n), { currency: "CHF" }));
console.log(new Day(0), new Pattern("a", "g"), Stack.from([1]), new Table([[1, 2]]), [new Day(NaN)]);
console.log(Node.prototype, Object.create(Node.prototype), Object.create(Object.create(null)));
console.log([class extends Node {}, Node, class Named extends Stack {}]);
console.log({ ["a-b"]: 1, [Symbol("line\nbreak")]: 2, "00": 3 }, Object.assign([1], { "00": 2 }));
console.log([
  "日本語テキスト",
  "短い",
  "日本語テキスト",
  "短い",
  "日本語テキスト",
  "短い",
  "日本語テキスト",
  "短い",
]);
console.log(inspect(Array.from({ length: 20 }, (_, at) => at * 1000), { colors: true }));
console.log(inspect(new Map([["a", { b: null }], [{ k: 1 }, ["x"]]]), { colors: true }));
console.log(inspect({ [inspect.custom]: (_, o) => o.stylize("special", "special") }, { colors: true }));
console.log(inspect({ whole: 123456789, part: -1234.5678, big: 1234567n }, { numericSeparator: true }));
console.log(inspect({ list: [1, [2, [3]]], text: "x".repeat(80) }, { compact: true }));
console.log(
  [new Boolean(true), new String("abc"), Object(5n)],
  inspect(Object(Symbol("s")), { colors: true }),
);

const given = new ArrayBuffer(4);
structuredClone(given, { transfer: [given] });
console.log(given, inspect(new ArrayBuffer(4), { maxArrayLength: 2 }));
console.log(
  Object.assign(Buffer.from("ab"), { encoding: "utf8" }),
  new ReadableStream(),
  new WritableStream(),
);
console.log(util.isDeepStrictEqual(Object.create(String.prototype), Object.create(String.prototype)));
