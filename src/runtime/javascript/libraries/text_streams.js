/** TextEncoderStream and TextDecoderStream of the web. */
import { platform } from "./runtime.js";

class TextEncoderStream {
  constructor() {
    const encoder = new TextEncoder();
    const { readable, writable } = new platform.TransformStream({
      transform: (chunk, controller) => controller.enqueue(encoder.encode(`${chunk}`)),
    });
    Object.assign(this, { readable, writable, encoding: "utf-8" });
  }
}

class TextDecoderStream {
  constructor(label, options) {
    const decoder = new TextDecoder(label, options);
    const { readable, writable } = new platform.TransformStream({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        if (text !== "") controller.enqueue(text);
      },
      flush(controller) {
        const text = decoder.decode();
        if (text !== "") controller.enqueue(text);
      },
    });
    Object.assign(this, { readable, writable, encoding: decoder.encoding });
  }
}

export const globals = { TextEncoderStream, TextDecoderStream };
