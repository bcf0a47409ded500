/** `net`: servers and clients of one program. */
import { isIP, isIPv4, isIPv6 } from "../ip.js";
import { placeOf } from "./ports.js";
import { Server } from "./server.js";
import { Socket } from "./socket.js";

const connect = (...given) => {
  const { signal, allowHalfOpen, timeout } = placeOf(given);
  return new Socket({ signal, allowHalfOpen, timeout }).connect(...given);
};

export default {
  Server,
  Socket,
  Stream: Socket,
  connect,
  createConnection: connect,
  createServer: (options, listener) => new Server(options, listener),
  getDefaultAutoSelectFamily: () => true,
  setDefaultAutoSelectFamily() {},
  getDefaultAutoSelectFamilyAttemptTimeout: () => 250,
  setDefaultAutoSelectFamilyAttemptTimeout() {},
  isIP,
  isIPv4,
  isIPv6,
};
