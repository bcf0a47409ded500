/** How a program's `handler` is called after it has run, and what it returned in JSON. */
export function installHandler(host, hooks) {
  const { parse, stringify } = JSON;
  let began = 0;
  let earlier;
  let limit = 0;

  /** A run begins whose handler may be called. */
  hooks.beginHandler = () => {
    began = host.now();
    earlier = globalThis.handler;
  };

  /** @param call JSON of a {@link HandlerCall}. @returns `{returned}`; undefined if there is nothing to call. */
  hooks.callHandler = (call) => {
    const { event, context, timeoutMs, required, ...more } = parse(call);
    limit = more.limit;
    const { handler } = globalThis;
    const isNew = handler !== earlier;
    earlier = undefined;
    if (typeof handler !== "function") {
      if (!required) return undefined;
      throw new ReferenceError(
        "the program defines no function handler: with an event it must define handler(event) or handler(event, context)",
      );
    }
    if (!required && !isNew) return undefined;
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
