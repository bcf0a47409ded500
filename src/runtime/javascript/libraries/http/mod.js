/** `http`: servers and clients of one program. */
import { callable } from "./callable.js";
import { Agent, ClientRequest, get, globalAgent, request } from "./client.js";
import { IncomingMessage, OutgoingMessage, validateHeaderName, validateHeaderValue } from "./messages.js";
import { createServer, Server, ServerResponse } from "./server.js";
import { METHODS, STATUS_CODES } from "./status_codes.js";

export default {
  Agent: callable(Agent),
  ClientRequest: callable(ClientRequest),
  IncomingMessage: callable(IncomingMessage),
  METHODS,
  OutgoingMessage: callable(OutgoingMessage),
  STATUS_CODES,
  Server: callable(Server),
  ServerResponse: callable(ServerResponse),
  createServer,
  get,
  globalAgent,
  maxHeaderSize: 16_384,
  request,
  validateHeaderName,
  validateHeaderValue,
};
