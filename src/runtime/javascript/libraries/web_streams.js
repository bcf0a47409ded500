/** What Node's own streams have to know of those of the web, and how those are shown. */
import { hooks } from "./runtime.js";

const STATE = Symbol("state");
const CLOSED = Symbol("closed");
/** Under this name Node's `finished` and `pipeline` look for when a stream of the web has ended. */
const isClosedPromise = Symbol.for("nodejs.webstream.isClosedPromise");
const custom = Symbol.for("nodejs.util.inspect.custom");

function settle(stream) {
  const { resolve, reject } = stream[CLOSED];
  if (stream[STATE] === "closed") resolve();
  // The error is told after the state.
  else if (stream[STATE] === "errored") queueMicrotask(() => reject(stream._storedError));
}

/** Watches what state a stream is in, of which the package tells only those who read it or write to it. */
function watch({ prototype }) {
  Object.defineProperty(prototype, "_state", {
    get() {
      return this[STATE];
    },
    set(state) {
      if (Object.hasOwn(this, STATE)) this[STATE] = state;
      else Object.defineProperty(this, STATE, { value: state, writable: true });
      if (this[CLOSED]) settle(this);
    },
    configurable: true,
  });
  Object.defineProperty(prototype, isClosedPromise, {
    get() {
      if (!this[CLOSED]) {
        Object.defineProperty(this, CLOSED, { value: Promise.withResolvers() });
        this[CLOSED].promise.catch(() => {});
        settle(this);
      }
      return this[CLOSED];
    },
    configurable: true,
  });
}

/** By this function Node's `addAbortSignal` ends one. */
const fail = Symbol.for("nodejs.webstream.controllerErrorFunction");
const failing = ({ prototype }, controller) =>
  Object.defineProperty(prototype, fail, {
    value(error) {
      this[controller].error(error);
    },
    writable: true,
    configurable: true,
  });

function shownAs({ name, prototype }, fields) {
  Object.defineProperty(prototype, custom, {
    value(depth, options) {
      return depth < 0 ? `[${name}]` : `${name} ${hooks.inspect(fields(this), options)}`;
    },
    writable: true,
    configurable: true,
  });
}

export function showWebStreams({ ReadableStream, WritableStream, TransformStream }) {
  watch(ReadableStream);
  watch(WritableStream);
  failing(ReadableStream, "_readableStreamController");
  failing(WritableStream, "_writableStreamController");
  shownAs(ReadableStream, (stream) => ({
    locked: stream.locked,
    state: stream._state,
    supportsBYOB: typeof stream._readableStreamController?._pullIntoDescriptors === "object",
  }));
  shownAs(WritableStream, (stream) => ({ locked: stream.locked, state: stream._state }));
  shownAs(TransformStream, (stream) => ({
    readable: stream.readable,
    writable: stream.writable,
    backpressure: stream._backpressure,
  }));
}
