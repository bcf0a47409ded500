/** What `assert` says of two values that differ, line by line, as Node 20 does. */
import { hooks } from "./runtime.js";

const shown = (value) =>
  hooks.inspect(value, {
    compact: false,
    depth: 1000,
    sorted: true,
    bound: 64 * 1024,
    maxArrayLength: Infinity,
  });

const KIND = {
  deepStrictEqual: "Expected values to be strictly deep-equal:",
  strictEqual: "Expected values to be strictly equal:",
  strictEqualObject: 'Expected "actual" to be reference-equal to "expected":',
  deepEqual: "Expected values to be loosely deep-equal:",
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notStrictEqualObject: 'Expected "actual" not to be reference-equal to "expected":',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  notIdentical: "Values have same structure but are not reference-equal:",
  notDeepEqualUnequal: "Expected values not to be loosely deep-equal:",
};

/** Two texts of no more characters than this stand in one line. */
const SHORT = 12;
const WIDTH = 80;
const MOST_LINES = 50;
const LEFT_OUT = "...";

const isObject = (value) => typeof value === "object" && value !== null;

/** Of lines that are the same at the end three are shown, and the outermost. */
function takeEnd(left, right) {
  const same = [];
  while (left.length > 0 && right.length > 0 && left.at(-1) === right.at(-1)) {
    same.unshift(left.pop());
    right.pop();
  }
  if (same.length <= 3) return { lines: same, skipped: false };
  const last = same.slice(-3);
  return same.length >= 5
    ? { lines: [same[0], LEFT_OUT, ...last], skipped: true }
    : { lines: [same[0], ...last], skipped: false };
}

/** The line of both, if they differ by no more than a comma at the end. */
function common(line, other) {
  if (line === other || line === `${other},`) return line;
  return other === `${line},` ? other : undefined;
}

class Report {
  output = [];
  /** Lines that are only expected: they come after those that are only there. */
  expected = [];
  printed = 0;
  skipped = false;
  #same = [];
  identical(shown, line, other) {
    this.output.push(...this.expected.splice(0));
    this.#same.push([line, other]);
    if (this.#same.length <= 2) this.#print(`  ${shown}`);
  }
  differ(line, other) {
    // What waits is shown as the one has it that goes on.
    this.#endSame(line === undefined ? 1 : 0);
    if (line !== undefined) this.#print(`+ ${line}`);
    if (other === undefined) return;
    this.expected.push(`- ${other}`);
    this.printed++;
  }
  /** Two of the same lines have been shown; of those that follow, the last two are. */
  #endSame(side) {
    const same = this.#same.splice(0);
    if (same.length > 5) {
      this.output.push(LEFT_OUT);
      this.skipped = true;
    }
    const from = same.length > 5 ? same.length - 2 : 2;
    for (const lines of same.slice(from)) this.#print(`  ${lines[side]}`);
  }
  #print(line) {
    this.output.push(line);
    this.printed++;
  }
}

function compared(left, right, head, mark) {
  const end = takeEnd(left, right);
  const most = Math.max(left.length, right.length);
  const report = new Report();
  for (let at = 0; at < most; at++) {
    const same = at < left.length && at < right.length ? common(left[at], right[at]) : undefined;
    if (same === undefined) report.differ(left[at], right[at]);
    else report.identical(same, left[at], right[at]);
    if (report.printed > MOST_LINES && at < most - 2) {
      return `${head} ${LEFT_OUT} Lines skipped\n\n${
        [...report.output, LEFT_OUT, ...report.expected, LEFT_OUT].join("\n")
      }`;
    }
  }
  const rest = end.lines.map((line) => line === LEFT_OUT ? line : `  ${line}`);
  const more = report.skipped || end.skipped ? ` ${LEFT_OUT} Lines skipped` : "";
  return `${head}${more}\n\n${[...report.output, ...report.expected, ...rest].join("\n")}${mark}`;
}

const cutOff = (lines) => lines.length > MOST_LINES ? [...lines.slice(0, 46), LEFT_OUT] : lines;

/** Where an error was made is no difference. */
function withoutStack(error) {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(error)), error);
  for (const name of ["message", "cause"]) {
    if (Object.hasOwn(error, name)) {
      Object.defineProperty(copy, name, { value: error[name], writable: true, configurable: true });
    }
  }
  return copy;
}

function differences(actual, expected, operator) {
  const areErrors = actual instanceof Error && expected instanceof Error;
  const [left, right] = [actual, expected].map((each) => shown(areErrors ? withoutStack(each) : each));
  const [leftLines, rightLines] = [left.split("\n"), right.split("\n")];
  const areObjects = isObject(actual) && isObject(expected) ||
    typeof actual === "function" && typeof expected === "function";
  const kind = operator === "strictEqual" && areObjects ? "strictEqualObject" : operator;
  if (left === right) {
    return `${KIND.notIdentical}\n\n${cutOff(leftLines).join("\n")}\n`;
  }
  let mark = "";
  if (leftLines.length === 1 && rightLines.length === 1) {
    const length = left.length + right.length;
    if (length <= SHORT) {
      if (!isObject(actual) && !isObject(expected) && (actual !== 0 || expected !== 0)) {
        return `${KIND[kind]}\n\n${left} !== ${right}\n`;
      }
    } else if (kind !== "strictEqualObject" && length < WIDTH) {
      let same = 0;
      while (left[same] === right[same]) same++;
      if (same > 2) mark = `\n  ${" ".repeat(same)}^`;
    }
  }
  return compared(leftLines, rightLines, `${KIND[kind]}\n+ actual - expected`, mark);
}

const shortened = (text, most) => text.length > most ? `${text.slice(0, most - 3)}...` : text;

/** What an assertion without a message says. */
export function wordsFor(operator, actual, expected) {
  if (operator === "deepStrictEqual" || operator === "strictEqual") {
    return differences(actual, expected, operator);
  }
  if (operator === "notDeepStrictEqual" || operator === "notStrictEqual") {
    const isReference = operator === "notStrictEqual" && (isObject(actual) || typeof actual === "function");
    const head = KIND[isReference ? "notStrictEqualObject" : operator];
    const lines = cutOff(shown(actual).split("\n"));
    if (lines.length > 1) return `${head}\n\n${lines.join("\n")}\n`;
    return `${head}${lines[0].length > 5 ? "\n\n" : " "}${lines[0]}`;
  }
  const [left, right] = [shown(actual), shown(expected)];
  if (operator === "notDeepEqual" && left === right) {
    return shortened(`${KIND.notDeepEqual}\n\n${left}`, 1024);
  }
  const [one, other] = [shortened(left, 512), shortened(right, 512)];
  if (operator === "deepEqual") return `${KIND.deepEqual}\n\n${one}\n\nshould loosely deep-equal\n\n${other}`;
  if (operator === "notDeepEqual") {
    return `${KIND.notDeepEqualUnequal}\n\n${one}\n\nshould not loosely deep-equal\n\n${other}`;
  }
  return `${one} ${operator} ${other}`;
}
