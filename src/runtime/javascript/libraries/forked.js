/** A program that `fork` has made: what its `process` has for its parent. */
import { coded } from "./errors.js";
import { importPort } from "./messages/ports.js";
import process from "./process.js";

/** @param id Of the thread. @param number Of the port to its parent. */
export function beginProcess(id, number) {
  const port = importPort(number);
  Object.assign(process, { pid: id + 1, ppid: 1, connected: true, channel: { ref() {}, unref() {} } });
  port.addEventListener("message", ({ data }) => process.emit("message", data));
  port.unref();
  port.addEventListener("close", () => disconnected());
  const disconnected = () => {
    if (!process.connected) return;
    process.connected = false;
    port.unref();
    process.emit("disconnect");
  };
  const follow = () => process.listenerCount("message") > 0 && process.connected ? port.ref() : port.unref();
  for (
    const change of [
      "on",
      "addListener",
      "once",
      "off",
      "removeListener",
      "removeAllListeners",
      "prependListener",
    ]
  ) {
    const before = process[change];
    process[change] = function (...given) {
      const made = before.apply(this, given);
      follow();
      return made;
    };
  }
  process.send = (message, ...rest) => {
    const callback = rest.find((each) => typeof each === "function");
    if (!process.connected) throw coded(Error, "ERR_IPC_CHANNEL_CLOSED", "Channel closed");
    port.postMessage(message);
    if (callback) process.nextTick(callback, null);
    return true;
  };
  process.disconnect = () => {
    if (!process.connected) return;
    port.close();
    disconnected();
  };
}
