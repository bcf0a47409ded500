/** `http`: servers and clients of one program. */
import { Agent, ClientRequest, get, globalAgent, request } from "./client.js";
import { IncomingMessage, OutgoingMessage, validateHeaderName, validateHeaderValue } from "./messages.js";
import { createServer, Server, ServerResponse } from "./server.js";
import { METHODS, STATUS_CODES } from "./status_codes.js";

export default {
  Agent,
  ClientRequest,
  IncomingMessage,
  METHODS,
  OutgoingMessage,
  STATUS_CODES,
  Server,
  ServerResponse,
  createServer,
  get,
  globalAgent,
  maxHeaderSize: 16_384,
  request,
  validateHeaderName,
  validateHeaderValue,
};
