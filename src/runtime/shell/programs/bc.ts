/** `bc`: the calculator, in decimal numbers of any length. Expressions, variables, `scale`, comparisons, `sqrt`. */

import { textOf } from "./files.ts";
import { ProgramError, type ProgramOutput } from "./mod.ts";
import { PROGRAM_MAX_BYTES } from "./process.ts";
import { bounded as boundedInput, Files, type Invocation, type Tools } from "./tools.ts";

/** Longest number, in digits: more of them could not be calculated with in reasonable time. */
const MAX_DIGITS = 20_000;
const MAX_SCALE = 1000;
const MAX_DEPTH = 200;
/** Digits after the point under `-l`. */
const MATH_SCALE = 20;
const LINE = 68;

/** `digits / 10 ** scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export function bc({ fs, stop }: Tools, invocation: Invocation): ProgramOutput {
  const math = invocation.args.some((arg) => /^-[a-z]*l/.test(arg));
  const names = invocation.args.filter((arg) => !arg.startsWith("-"));
  const files = new Files(fs, PROGRAM_MAX_BYTES);
  // A comment that is open ends with the source: to look for its end from each "/*" would take for ever.
  const source = [...names.map((name) => files.read(invocation.path(name))), boundedInput(invocation.stdin)]
    .map(textOf).join("\n").replace(/\/\*.*?(?:\*\/|$)/gs, " ").replace(/\\\n/g, "");
  const calculator = new Calculator(math ? MATH_SCALE : 0, () => stop.checkNow());
  let stdout = "";
  let stderr = "";
  for (const statement of source.split(/[\n;]/)) {
    const text = statement.replace(/#.*/, "").trim();
    if (text === "quit" || text === "halt") break;
    if (text === "") continue;
    const string = /^"([^"]*)"$/.exec(text);
    if (string) {
      stdout += string[1];
      continue;
    }
    try {
      stdout += calculator.run(text);
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      stderr += `(standard_in) 1: ${error.message}\n`;
    }
  }
  return { stdout, stderr };
}

class Calculator {
  readonly #variables = new Map<string, Decimal>();
  #tokens: Tokens = new Tokens("");
  #depth = 0;

  /** @param step Called before each step; what it throws ends the calculation. */
  constructor(scale: number, readonly step: () => void) {
    this.#variables.set("scale", integer(scale));
  }

  /** @returns what the statement prints. @throws {ProgramError} */
  run(statement: string): string {
    this.step();
    this.#tokens = new Tokens(statement);
    this.#depth = 0;
    const silent = /^[a-z][a-z0-9_]*$/.test(this.#tokens.at(0) ?? "") && this.#tokens.at(1) === "=";
    const value = this.#expression(0);
    if (this.#tokens.at(0) !== undefined) throw new ProgramError("syntax error");
    return silent ? "" : `${wrapped(format(value))}\n`;
  }

  get #scale(): number {
    const scale = this.#variables.get("scale")!;
    return Number(scale.digits / 10n ** BigInt(scale.scale));
  }

  #expression(level: number): Decimal {
    if (++this.#depth > MAX_DEPTH) throw new ProgramError("the expression is nested too deeply");
    try {
      return this.#binary(level);
    } finally {
      this.#depth--;
    }
  }

  #binary(level: number): Decimal {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#power();
    let left = this.#binary(level + 1);
    while (operators.includes(this.#tokens.at(0) ?? "")) {
      const operator = this.#tokens.next()!;
      left = this.#apply(operator, left, this.#binary(level + 1));
    }
    return left;
  }

  #power(): Decimal {
    const base = this.#unary();
    if (this.#tokens.at(0) !== "^") return base;
    this.#tokens.next();
    return this.#raise(base, this.#expression(LEVELS.length));
  }

  #unary(): Decimal {
    const token = this.#tokens.next();
    if (token === undefined) throw new ProgramError("syntax error");
    if (token === "-") {
      const { digits, scale } = this.#expression(LEVELS.length);
      return { digits: -digits, scale };
    }
    if (token === "!") return truth(this.#expression(LEVELS.length).digits === 0n);
    if (token === "(") {
      const value = this.#expression(0);
      this.#expect(")");
      return value;
    }
    if (/^[\d.]/.test(token)) return parseDecimal(token);
    if (!/^[a-z]/.test(token)) throw new ProgramError("syntax error");
    if (this.#tokens.at(0) === "(") return this.#call(token);
    if (this.#tokens.at(0) === "=") {
      this.#tokens.next();
      return this.#assign(token, this.#expression(0));
    }
    return this.#variables.get(token) ?? integer(0);
  }

  #assign(name: string, value: Decimal): Decimal {
    if (name === "ibase" || name === "obase") throw new ProgramError(`${name} is not supported`);
    if (
      name === "scale" && (value.digits < 0n || value.digits > BigInt(MAX_SCALE) * 10n ** BigInt(value.scale))
    ) {
      throw new ProgramError("scale is out of range");
    }
    this.#variables.set(name, value);
    return value;
  }

  #call(name: string): Decimal {
    this.#tokens.next();
    const value = this.#expression(0);
    this.#expect(")");
    const { digits, scale } = value;
    if (name === "length") return integer(String(digits < 0n ? -digits : digits).length);
    if (name === "scale") return integer(scale);
    if (name !== "sqrt") throw new ProgramError(`Function ${name} not defined`);
    if (digits < 0n) throw new ProgramError("Square root of a negative number");
    const target = Math.max(this.#scale, scale);
    return { digits: squareRoot(digits * 10n ** BigInt(2 * target - scale)), scale: target };
  }

  #expect(token: string): void {
    if (this.#tokens.next() !== token) throw new ProgramError("syntax error");
  }

  #apply(operator: string, a: Decimal, b: Decimal): Decimal {
    this.step();
    const scale = Math.max(a.scale, b.scale);
    const [x, y] = [rescale(a, scale), rescale(b, scale)];
    switch (operator) {
      case "+":
        return { digits: x + y, scale };
      case "-":
        return { digits: x - y, scale };
      case "*": {
        const kept = Math.min(a.scale + b.scale, Math.max(this.#scale, scale));
        return bounded({
          digits: rescale({ digits: a.digits * b.digits, scale: a.scale + b.scale }, kept),
          scale: kept,
        });
      }
      case "/":
        if (y === 0n) throw new ProgramError("Divide by zero");
        return { digits: x * 10n ** BigInt(this.#scale) / y, scale: this.#scale };
      case "%": {
        if (y === 0n) throw new ProgramError("Divide by zero");
        const quotient = this.#apply("/", a, b);
        const kept = Math.max(this.#scale + b.scale, a.scale);
        const product = { digits: quotient.digits * b.digits, scale: quotient.scale + b.scale };
        return { digits: rescale(a, kept) - rescale(product, kept), scale: kept };
      }
      case "&&":
        return truth(x !== 0n && y !== 0n);
      case "||":
        return truth(x !== 0n || y !== 0n);
      default:
        return truth(COMPARE[operator]!(x, y));
    }
  }

  #raise(base: Decimal, exponent: Decimal): Decimal {
    const times = exponent.digits / 10n ** BigInt(exponent.scale);
    const size = BigInt(String(base.digits).length) * (times < 0n ? -times : times);
    const scales = BigInt(base.scale) * (times < 0n ? -times : times);
    if (size > BigInt(MAX_DIGITS) || scales > BigInt(MAX_DIGITS)) {
      throw new ProgramError("the result has too many digits");
    }
    if (times < 0n) return this.#apply("/", integer(1), this.#raise(base, integer(Number(-times))));
    const scale = base.scale * Number(times);
    const kept = Math.min(scale, Math.max(this.#scale, base.scale));
    return { digits: rescale({ digits: base.digits ** times, scale }, kept), scale: kept };
  }
}

/** The words of a statement, from the one that is next. */
class Tokens {
  readonly #words: readonly string[];
  #next = 0;

  constructor(statement: string) {
    this.#words = statement.match(/\d+\.?\d*|\.\d+|[a-z][a-z0-9_]*|[=!<>]=|&&|\|\||\S/g) ?? [];
  }

  /** The word that comes so many after the next one. */
  at(index: number): string | undefined {
    return this.#words[this.#next + index];
  }

  next(): string | undefined {
    return this.#words[this.#next++];
  }
}

const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["==", "!=", "<", ">", "<=", ">="],
  ["+", "-"],
  ["*", "/", "%"],
];

const COMPARE: Readonly<Record<string, (x: bigint, y: bigint) => boolean>> = {
  "==": (x, y) => x === y,
  "!=": (x, y) => x !== y,
  "<": (x, y) => x < y,
  ">": (x, y) => x > y,
  "<=": (x, y) => x <= y,
  ">=": (x, y) => x >= y,
};

function integer(value: number): Decimal {
  return { digits: BigInt(value), scale: 0 };
}

function truth(value: boolean): Decimal {
  return integer(value ? 1 : 0);
}

function bounded(value: Decimal): Decimal {
  // A digit takes a little more than 3 bits; asking BigInt for its digits takes quadratic time.
  if (value.digits.toString(16).length * 1.2 > MAX_DIGITS) {
    throw new ProgramError("the result has too many digits");
  }
  return value;
}

function parseDecimal(text: string): Decimal {
  if (text.length > MAX_DIGITS) throw new ProgramError("the number has too many digits");
  const [whole = "", fraction = ""] = text.split(".");
  return { digits: BigInt(whole + fraction || "0"), scale: fraction.length };
}

/** The digits with another number of them after the point; those that are too many are cut off. */
function rescale({ digits, scale }: Decimal, to: number): bigint {
  return to >= scale ? digits * 10n ** BigInt(to - scale) : digits / 10n ** BigInt(scale - to);
}

function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

function format({ digits, scale }: Decimal): string {
  if (digits === 0n) return "0";
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale).replace(/^0+(?=\d)/, "");
  const number = scale === 0 ? whole : `${whole === "0" ? "" : whole}.${text.slice(-scale)}`;
  return digits < 0n ? `-${number}` : number;
}

/** bc breaks long numbers with a backslash. */
function wrapped(number: string): string {
  return number.length <= LINE + 1 ? number : number.match(new RegExp(`.{1,${LINE}}`, "g"))!.join("\\\n");
}
