/** What is wrong with text that is no JSON, and with values that have none, in V8's words: programs show them. */
export function installJson() {
  const { parse } = JSON;
  const apply = Reflect.apply;
  const AROUND = 10;

  /** The first fault of a text that has one: `{ words, at }`; `token` if V8 shows what stands there. */
  function faultOf(text) {
    let at = 0;
    const fault = (words, where = at) => {
      throw { words, at: where };
    };
    const isDigit = (each) => each >= "0" && each <= "9";
    const skip = () => {
      while (at < text.length && " \t\n\r".includes(text[at])) at++;
    };
    /** What stands where something else must. */
    function unexpected(words) {
      if (words) fault(words);
      if (at >= text.length) fault("end");
      if (text[at] === '"') fault("Unexpected string");
      if (isDigit(text[at]) || text[at] === "-") fault("Unexpected number");
      fault("token");
    }
    function string() {
      for (at++;; at++) {
        if (at >= text.length) fault("Unterminated string");
        const each = text[at];
        if (each === '"') return void at++;
        if (each < " ") fault("Bad control character in string literal");
        if (each !== "\\") continue;
        at++;
        if (at >= text.length) fault("end");
        if (text[at] === "u") {
          for (let i = 0; i < 4; i++) {
            at++;
            if (at >= text.length || !/[\da-fA-F]/.test(text[at])) fault("Bad Unicode escape");
          }
        } else if (!'"\\/bfnrt'.includes(text[at])) fault("Bad escaped character");
      }
    }
    function digits(words) {
      if (at >= text.length || !isDigit(text[at])) fault(words);
      while (at < text.length && isDigit(text[at])) at++;
    }
    function number() {
      if (text[at] === "-") {
        at++;
        if (at >= text.length || !isDigit(text[at])) fault("No number after minus sign");
      }
      if (text[at] === "0") {
        at++;
        if (at < text.length && isDigit(text[at])) fault("Unexpected number");
      } else digits("");
      if (text[at] === ".") {
        at++;
        digits("Unterminated fractional number");
      }
      if (text[at] === "e" || text[at] === "E") {
        at++;
        if (text[at] === "+" || text[at] === "-") at++;
        digits("Exponent part is missing a number");
      }
    }
    function word(whole) {
      for (const each of whole) {
        if (text[at] !== each) unexpected();
        at++;
      }
    }
    // What is open, without recursion: texts may be deep.
    const open = [];
    for (;;) {
      skip();
      const each = text[at];
      let isOpen = false;
      if (each === "{") {
        at++;
        skip();
        if (text[at] === "}") at++;
        else {
          open.push("}");
          if (text[at] !== '"') unexpected("Expected property name or '}'");
          isOpen = true;
        }
      } else if (each === "[") {
        at++;
        skip();
        if (text[at] === "]") at++;
        else {
          open.push("]");
          continue;
        }
      } else if (each === '"') string();
      else if (each !== undefined && (isDigit(each) || each === "-")) number();
      else if (each === "t") word("true");
      else if (each === "f") word("false");
      else if (each === "n") word("null");
      else unexpected();
      // After a value: what closes, or what comes next.
      while (!isOpen) {
        skip();
        const closes = open.at(-1);
        if (closes === undefined) {
          if (at < text.length) fault("Unexpected non-whitespace character after JSON");
          return undefined;
        }
        if (text[at] === closes) {
          open.pop();
          at++;
          continue;
        }
        if (text[at] !== ",") {
          unexpected(
            `Expected ',' or '${closes}' after ${closes === "]" ? "array element" : "property value"}`,
          );
        }
        at++;
        skip();
        isOpen = closes === "}";
        if (!isOpen) break;
        if (text[at] !== '"') unexpected("Expected double-quoted property name");
      }
      if (!isOpen) continue;
      string();
      skip();
      if (text[at] !== ":") unexpected("Expected ':' after property name");
      at++;
    }
  }

  function messageOf(text) {
    let found;
    try {
      found = faultOf(text);
    } catch (fault) {
      found = fault;
    }
    if (typeof found?.words !== "string") return undefined;
    const { words, at } = found;
    if (words === "end") return "Unexpected end of JSON input";
    if (words !== "token") {
      return words.endsWith("after JSON")
        ? `${words} at position ${at}`
        : `${words} in JSON at position ${at}`;
    }
    if (/^(?:NaN|Infinity|undefined|\[object Object\])$/.test(text)) return `"${text}" is not valid JSON`;
    const [from, to] = [Math.max(0, at - AROUND), Math.min(text.length, at + AROUND)];
    const isShort = text.length < 4 * AROUND;
    const shown = isShort
      ? `"${text}"`
      : `${from > 0 ? "..." : ""}"${text.slice(from, to)}"${to < text.length ? "..." : ""}`;
    return `Unexpected token '${text[at]}', ${shown} is not valid JSON`;
  }

  /** How many lines of a circle are told after the one that it starts with. */
  const FIRST_LINES = 3;
  const classOf = (value) => {
    const name = value.constructor?.name;
    return `object with constructor '${typeof name === "string" && name !== "" ? name : "Object"}'`;
  };
  /** The objects from one to itself, each with the key that leads to it; undefined if there is no such circle. */
  function circleOf(root) {
    const path = [{ value: root, keys: Object.keys(root), at: 0 }];
    const seen = new Set();
    while (path.length > 0) {
      const last = path.at(-1);
      if (last.at >= last.keys.length) {
        seen.add(last.value);
        path.pop();
        continue;
      }
      const key = last.keys[last.at++];
      const value = last.value[key];
      if (typeof value !== "object" || value === null || seen.has(value)) continue;
      const start = path.findIndex((each) => each.value === value);
      if (start >= 0) return { circle: path.slice(start), key };
      path.push({ value, key, keys: Object.keys(value), at: 0 });
    }
    return undefined;
  }
  function circleText(value) {
    const found = circleOf(value);
    if (!found) return undefined;
    const { circle, key } = found;
    const named = (key, holder) => Array.isArray(holder) ? `index ${key}` : `property '${key}'`;
    const lines = circle.slice(1).map((each, at) =>
      `\n    |     ${named(each.key, circle[at].value)} -> ${classOf(each.value)}`
    );
    if (lines.length > FIRST_LINES) {
      lines.splice(FIRST_LINES - 1, lines.length - FIRST_LINES, "\n    |     ...");
    }
    return `Converting circular structure to JSON\n    --> starting at ${classOf(circle[0].value)}${
      lines.join("")
    }\n    --- ${named(key, circle.at(-1).value)} closes the circle`;
  }

  const { stringify } = JSON;
  const wrapped = {
    stringify(value, _replacer, _space) {
      try {
        return apply(stringify, JSON, arguments);
      } catch (error) {
        if (!(error instanceof TypeError) || error.message !== "circular reference") throw error;
        let text;
        try {
          text = circleText(value);
        } catch { /* a getter of the program's */ }
        throw text === undefined ? error : new TypeError(text);
      }
    },
    parse(text, reviver) {
      try {
        return apply(parse, JSON, [text, reviver]);
      } catch (error) {
        // A reviver may throw what it likes.
        const message = error instanceof SyntaxError
          ? messageOf(typeof text === "string" ? text : `${text}`)
          : undefined;
        if (message === undefined) throw error;
        throw new SyntaxError(message);
      }
    },
  };
  for (const [name, value] of Object.entries(wrapped)) {
    Object.defineProperty(JSON, name, { value, writable: true, configurable: true, enumerable: false });
  }
}
