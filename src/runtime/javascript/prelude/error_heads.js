/** What an error says of itself: its first line, with the name of its class and its code, and its stack. */
export function installErrorHeads(_host, hooks) {
  /** Codes that an error's first line shows: those of errors that are the runtime's own. */
  const codes = new WeakMap();
  hooks.showCode = (error, code) => void codes.set(error, code);

  /** The first line of an error with the name of its class, where that says more. */
  function withClass(head, name, constructor) {
    const isNamed = name.endsWith("Error") && head.startsWith(name) &&
      /^(?:$|[:\n])/.test(head.slice(name.length));
    if (!isNamed || !constructor || constructor === name) return head;
    const rest = head.slice(name.length);
    return constructor.includes(name) ? `${constructor}${rest}` : `${constructor} [${name}]${rest}`;
  }

  function stackOf(error) {
    let name = "Error";
    let message = "";
    let constructor = "";
    try {
      name = String(error.name ?? "Error");
      message = String(error.message ?? "");
      constructor = String(error.constructor?.name ?? "");
    } catch { /* an error of the guest's own making */ }
    let head = message ? `${name}: ${message}` : name;
    let stack = "";
    try {
      if (error.stack) {
        const own = String(error.stack);
        const at = own.search(/^ +at /m);
        // What the error was when its stack was asked for first, or what the program has put in its place.
        head = (at < 0 ? own : own.slice(0, at).trimEnd()) || head;
        stack = at < 0 ? "" : hooks.cleanStack(own.slice(at));
      }
    } catch { /* as above */ }
    const code = codes.get(error);
    head = code !== undefined && head.startsWith(name)
      ? `${name} [${code}]${head.slice(name.length)}`
      : withClass(head, name, constructor);
    return { head, name: name === "Error" && constructor ? constructor : name, message, stack };
  }
  hooks.stackOf = stackOf;
}
