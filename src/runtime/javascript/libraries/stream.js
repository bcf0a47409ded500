/** `stream`: Node's own, by the package in which Node's people keep it. */
import { platform } from "./runtime.js";
import "./event_target.js";
import events from "./events.js";
import buffer from "./buffer.js";
import { builtins, process } from "./builtins.js";
import { Stream as stream } from "readable-stream";
import { invalidArgType } from "./errors.js";

void [events, buffer, builtins, process];
const { Readable, Writable, Duplex } = stream;

/** Web streams of Node's, and back. */
Readable.toWeb = (readable, options) => {
  const iterator = readable[Symbol.asyncIterator]();
  return new platform.ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next();
      if (done) controller.close();
      else {controller.enqueue(
          typeof value === "object" && value instanceof Uint8Array ? new Uint8Array(value) : value,
        );}
    },
    async cancel(reason) {
      readable.destroy(reason);
      await iterator.return?.();
    },
  }, options?.strategy);
};
Readable.fromWeb = (web, options) => {
  if (typeof web?.getReader !== "function") throw invalidArgType("readableStream", "ReadableStream", web);
  const reader = web.getReader();
  return new Readable({
    ...options,
    read() {
      reader.read().then(({ value, done }) => this.push(done ? null : value), (error) => this.destroy(error));
    },
    destroy(error, callback) {
      if (error) reader.cancel(error).then(() => callback(error), () => callback(error));
      else callback(null);
    },
  });
};
Writable.toWeb = (writable) =>
  new platform.WritableStream({
    write: (chunk) =>
      new Promise((resolve, reject) => writable.write(chunk, (error) => error ? reject(error) : resolve())),
    close: () => new Promise((resolve) => writable.end(resolve)),
    abort: (reason) => void writable.destroy(reason),
  });
Writable.fromWeb = (web, options) => {
  const writer = web.getWriter();
  return new Writable({
    ...options,
    write(chunk, _encoding, callback) {
      writer.write(chunk).then(() => callback(), callback);
    },
    final(callback) {
      writer.close().then(() => callback(), callback);
    },
  });
};
Duplex.toWeb = (duplex) => ({ readable: Readable.toWeb(duplex), writable: Writable.toWeb(duplex) });
Duplex.fromWeb = ({ readable, writable }, options) =>
  Duplex.from({
    readable: Readable.fromWeb(readable, options),
    writable: Writable.fromWeb(writable, options),
  });

async function collected(source) {
  const parts = [];
  for await (const chunk of source) {
    parts.push(
      typeof chunk === "string"
        ? buffer.Buffer.from(chunk)
        : chunk instanceof ArrayBuffer
        ? new Uint8Array(chunk)
        : chunk,
    );
  }
  return buffer.Buffer.concat(
    parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)),
  );
}
/** `stream/consumers`. */
export const consumers = {
  buffer: collected,
  async arrayBuffer(source) {
    const bytes = await collected(source);
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  },
  async blob(source) {
    return new platform.Blob([await collected(source)]);
  },
  async text(source) {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of source) {
      text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  },
  async json(source) {
    return JSON.parse(await consumers.text(source));
  },
};

export default stream;
