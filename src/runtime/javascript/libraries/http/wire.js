/** HTTP/1.1 over a connection to another process (RFC 9112): servers and clients of `http` know no bytes otherwise. */
import buffer from "../buffer.js";
import { coded } from "../errors.js";

const { Buffer } = buffer;
const HEAD_MAX = 256 * 1024;
const CRLF = "\r\n";

/** Reads one message after another. */
class Parser {
  #come = Buffer.alloc(0);
  #state = "head";
  #left = 0;
  #told;
  /**
   * @param told `head(first, pairs)` gives how the body goes on: "none", "rest", "chunked" or a length; or "upgrade": what comes
   * after it is another protocol's, and `upgraded` is told of what has come of that; `body`, `end`.
   */
  constructor(told) {
    this.#told = told;
  }
  /** @throws what is no message. */
  feed(bytes) {
    this.#come = Buffer.concat([this.#come, bytes]);
    while (this.#step());
  }
  /** The connection has ended. @returns whether that was no end of a message. */
  finish() {
    if (this.#state === "rest") {
      this.#end();
      return false;
    }
    return this.#state !== "head" || this.#come.length > 0;
  }
  #line() {
    const at = this.#come.indexOf(CRLF);
    if (at < 0) {
      if (this.#come.length > HEAD_MAX) throw malformed();
      return undefined;
    }
    const line = this.#come.subarray(0, at).toString("latin1");
    this.#come = this.#come.subarray(at + 2);
    return line;
  }
  /** @returns Whether it can go on. */
  #step() {
    switch (this.#state) {
      case "head":
        return this.#head();
      case "size": {
        const line = this.#line();
        if (line === undefined) return false;
        this.#left = parseInt(/^([\da-f]{1,8})\s*(?:;.*)?$/i.exec(line)?.[1] ?? "x", 16);
        if (Number.isNaN(this.#left)) throw malformed();
        this.#state = this.#left === 0 ? "trailers" : "chunk";
        return true;
      }
      case "trailers": {
        const line = this.#line();
        if (line === "") this.#end();
        return line !== undefined;
      }
      case "after": {
        if (this.#line() === undefined) return false;
        this.#state = "size";
        return true;
      }
      default:
        return this.#body();
    }
  }
  #head() {
    const at = this.#come.indexOf(`${CRLF}${CRLF}`);
    if (at < 0) {
      if (this.#come.length > HEAD_MAX) throw malformed();
      return false;
    }
    const [first, ...lines] = this.#come.subarray(0, at).toString("latin1").split(CRLF);
    this.#come = this.#come.subarray(at + 4);
    const pairs = lines.map((line) => {
      const colon = line.indexOf(":");
      if (colon < 1) throw malformed();
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const kind = this.#told.head(first, pairs);
    if (kind === "upgrade") {
      this.#state = kind;
      this.#told.upgraded(this.#come);
      return false;
    }
    this.#left = typeof kind === "number" ? kind : 0;
    this.#state = typeof kind === "number" ? "length" : kind === "chunked" ? "size" : kind;
    if (kind === "skip") this.#state = "head";
    else if (kind === "none" || kind === 0) this.#end();
    return true;
  }
  #body() {
    const length = this.#state === "rest" ? this.#come.length : Math.min(this.#left, this.#come.length);
    if (length === 0) return false;
    this.#told.body(this.#come.subarray(0, length));
    this.#come = this.#come.subarray(length);
    this.#left -= length;
    if (this.#state === "length" && this.#left === 0) this.#end();
    if (this.#state === "chunk" && this.#left === 0) this.#state = "after";
    return this.#come.length > 0;
  }
  #end() {
    this.#state = "head";
    this.#told.end();
  }
}

const malformed = () =>
  coded(Error, "HPE_INVALID_CONSTANT", "Parse Error: what came is no message of HTTP/1.1");
const valueOf = (pairs, name) => pairs.find(([each]) => each.toLowerCase() === name)?.[1];

/** Whether a message asks for another protocol (RFC 9110, section 7.8). */
const isUpgrade = (pairs) =>
  valueOf(pairs, "upgrade") !== undefined &&
  /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(valueOf(pairs, "connection") ?? "");

/** A connection is another protocol's: nobody reads it until somebody else does. */
function handOver(socket, listeners) {
  for (const [name, listener] of Object.entries(listeners)) socket.off(name, listener);
  socket.pause();
  socket.readableFlowing = null;
}

/** How a body goes on that comes after such headers. */
function kindOf(pairs, otherwise) {
  if (/chunked\s*$/i.test(valueOf(pairs, "transfer-encoding") ?? "")) return "chunked";
  const length = valueOf(pairs, "content-length");
  if (length === undefined) return otherwise;
  if (!/^\d{1,15}$/.test(length)) throw malformed();
  return Number(length);
}

/** Where a message writes its body: in the place of the other end's IncomingMessage. */
class BodyWriter {
  destroyed = false;
  complete = false;
  #socket;
  #isChunked;
  #ended;
  constructor(socket, pairs, ended) {
    this.#socket = socket;
    this.#isChunked = kindOf(pairs, "none") === "chunked";
    this.#ended = ended;
    socket.on("close", this.#close).on("drain", this.#drain);
  }
  #close = () => this.destroyed = true;
  #drain = () => {
    const resume = this.whenRead;
    this.whenRead = undefined;
    resume?.();
  };
  push(chunk) {
    if (chunk === null) {
      if (this.#isChunked) this.#socket.write(`0${CRLF}${CRLF}`);
      // The connection may have others after it.
      this.#socket.off("close", this.#close).off("drain", this.#drain);
      this.#ended();
      return false;
    }
    if (chunk.length === 0) return true;
    if (!this.#isChunked) return this.#socket.write(chunk);
    this.#socket.write(`${chunk.length.toString(16)}${CRLF}`);
    this.#socket.write(chunk);
    return this.#socket.write(CRLF);
  }
  destroy() {
    this.#socket.destroy();
  }
}

const headOf = (first, pairs) =>
  [first, ...pairs.flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}`)), "", ""].join(
    CRLF,
  );

/** Answers the requests that come down a connection, one after another. */
export function serve(server, socket) {
  let request, asked;
  const parser = new Parser({
    head(first, pairs) {
      const [, method, path, minor] = /^([!#$%&'*+.^_`|~\w-]+) (\S+) HTTP\/1\.([01])$/.exec(first) ?? [];
      if (!method) throw malformed();
      if (isUpgrade(pairs) && server.listenerCount("upgrade") > 0) {
        asked = { method, path, headers: pairs };
        return "upgrade";
      }
      const said = (valueOf(pairs, "connection") ?? "").toLowerCase();
      const closes = minor === "0" ? said !== "keep-alive" : said === "close";
      if (valueOf(pairs, "expect")?.toLowerCase() === "100-continue") {
        socket.write(`HTTP/1.1 100 Continue${CRLF}${CRLF}`);
      }
      ({ request } = server.receive({
        method,
        path,
        headers: pairs,
        port: socket.remotePort,
        respond: (response) => {
          if (closes) {
            response.forceHeader("Connection", "close");
          }
          const answer = response.headerPairs();
          socket.write(
            Buffer.from(
              headOf(`HTTP/1.1 ${response.statusCode} ${response.statusMessage}`, answer),
              "latin1",
            ),
          );
          response.receiver = new BodyWriter(socket, answer, () => {
            if (closes) socket.end();
          });
        },
      }));
      return kindOf(pairs, "none");
    },
    body: (bytes) => void request.push(Buffer.from(bytes)),
    end() {
      request.complete = true;
      request.push(null);
    },
    upgraded(rest) {
      handOver(socket, listeners);
      server.upgrade(asked, socket, rest);
    },
  });
  const listeners = {
    data(bytes) {
      try {
        parser.feed(bytes);
      } catch (error) {
        if (!server.emit("clientError", error, socket)) {
          socket.end(`HTTP/1.1 400 Bad Request${CRLF}Connection: close${CRLF}${CRLF}`);
        }
      }
    },
    error() {},
    close() {
      if (request && !request.complete) request.destroy();
    },
  };
  for (const [name, listener] of Object.entries(listeners)) socket.on(name, listener);
}

/**
 * Asks another process's server.
 *
 * @param told `answered(head)` makes what the body comes to; `upgraded(rest)`: the connection is another protocol's now; `hungUp`.
 * @returns where the request writes its body.
 */
export function ask({ method, path, pairs }, socket, told) {
  let received;
  const parser = new Parser({
    head(first, answer) {
      const [, status, reason] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(first) ?? [];
      if (!status) throw malformed();
      if (status < 200 && status !== "101") return "skip";
      received = told.answered({
        statusCode: Number(status),
        statusMessage: reason ?? "",
        headerPairs: () => answer,
      });
      if (status === "101") return "upgrade";
      return method === "HEAD" || status === "204" || status === "304" ? "none" : kindOf(answer, "rest");
    },
    body: (bytes) => void received.push(Buffer.from(bytes)),
    end() {
      received.complete = true;
      received.push(null);
      socket.end();
    },
    upgraded(rest) {
      received.complete = true;
      received.push(null);
      handOver(socket, listeners);
      told.upgraded(rest);
    },
  });
  const listeners = {
    data(bytes) {
      try {
        parser.feed(bytes);
      } catch (error) {
        told.failed(error);
        socket.destroy();
      }
    },
    error() {},
    end() {
      if (parser.finish() || !received) told.hungUp();
    },
  };
  for (const [name, listener] of Object.entries(listeners)) socket.on(name, listener);
  socket.write(Buffer.from(headOf(`${method} ${path} HTTP/1.1`, pairs), "latin1"));
  return new BodyWriter(socket, pairs, () => {});
}
