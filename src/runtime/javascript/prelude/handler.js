/** How a program's `handler` is called after it has run, and what it returned in JSON. */
export function installHandler(host, hooks) {
  const { parse, stringify } = JSON;
  let began = 0;
  let earlier = [];
  let limit = 0;

  /** A global function, or one that is exported as AWS Lambda's are. */
  const handlers = () => [globalThis.handler, (globalThis.module?.exports ?? globalThis.exports)?.handler];
  const isFunction = (value) => typeof value === "function";

  /** A run begins whose handler may be called. */
  hooks.beginHandler = () => {
    began = host.now();
    if (globalThis.exports === undefined) hooks.define("exports", {});
    earlier = handlers();
  };

  /** @param call JSON of a {@link HandlerCall}. @returns `{returned}`; undefined if there is nothing to call. */
  hooks.callHandler = (call) => {
    const { event, context, timeoutMs, required, ...more } = parse(call);
    limit = more.limit;
    const now = handlers();
    const fresh = now.find((value, index) => isFunction(value) && value !== earlier[index]);
    const handler = fresh ?? (required ? now.find(isFunction) : undefined);
    earlier = [];
    if (!handler) {
      if (!required) return undefined;
      throw new ReferenceError(
        "the program defines no function handler: with an event it must define handler(event) or handler(event, context)",
      );
    }
    const end = began + timeoutMs;
    const getRemainingTimeInMillis = () => Math.max(0, Math.floor(end - host.now()));
    return { returned: handler(parse(event), { ...parse(context), getRemainingTimeInMillis }) };
  };

  /** JSON of what a handler returned; undefined counts as null. */
  hooks.handlerJson = (value) => {
    let text;
    try {
      text = stringify(value === undefined ? null : value);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new TypeError(`what handler returned is not JSON: ${error.message}`);
    }
    if (text === undefined) throw new TypeError(`what handler returned is not JSON: it is a ${typeof value}`);
    if (text.length <= limit) return text;
    throw new RangeError(
      `what handler returned is longer in JSON than the ${limit} bytes that are allowed`,
    );
  };
}
