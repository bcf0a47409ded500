/** What programs and threads tell each other, and what takes it to whom it is for. */
import { invalidArgType } from "../errors.js";
import { hooks, host } from "../runtime.js";
import { BroadcastChannel, broadcasted } from "./broadcast.js";
import { MessageEvent } from "./event.js";
import { arrived, isEmpty, MessageChannel, MessagePort, take, waits } from "./ports.js";

/** Threads that tell something beside messages, by their numbers. */
export const tellings = new Map();

function receive({ to, kind, data, text }, now = true) {
  if (kind === "message") arrived(to, { bytes: data, moved: text }, now);
  else if (kind === "close") arrived(to, { closed: true }, now);
  else if (!now) setImmediate(() => receive({ to, kind, data, text }));
  else if (kind === "broadcast") broadcasted(text, data);
  else tellings.get(to)?.told(kind, data, text);
}

/** Takes what has come for ports that are asked for it; where nothing has, others run for a moment. */
function pump() {
  for (let message = host.takeMessage(1); message; message = host.takeMessage(0)) receive(message, false);
}

/** @returns `{ message }`, without waiting for it; undefined if nothing has come. */
export function receiveMessage(port) {
  if (!(port instanceof MessagePort)) throw invalidArgType("port", "MessagePort instance", port);
  if (isEmpty(port)) pump();
  return take(port);
}

export function installMessages() {
  hooks.awaitsMessages = () => waits.listening + waits.threads > 0;
  hooks.takeMessage = () => {
    const message = host.takeMessage(0);
    if (message) receive(message);
  };
}

export const globals = { BroadcastChannel, MessageChannel, MessagePort, MessageEvent };
