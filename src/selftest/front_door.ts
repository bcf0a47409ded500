/** An attacked server on HTTP: two clients of it, and whoever else connects; and what has become of it. */

import { Bystander } from "./bystander.ts";
import type { Canaries } from "./canaries.ts";
import { type Answer, answerOf, type Command, type Message, NoAnswer } from "./client.ts";
import { HttpServer } from "./http_server.ts";
import { Closed, get, lengthOf, post, type RawAnswer, RawClient } from "./raw_http.ts";

/** Connections that the server takes; few, so that one that is lost is missed. */
export const PLACES = 16;
/** A connection without a whole request is closed after this long, as is one that takes no answer; at the latest after a quarter more. */
export const IDLE_MS = 1500;
/** How long anything may take that should be done at once, or after the idle time, on a machine that is busy. */
const DEADLINE_MS = 30_000;
const PAUSE_MS = 20;
/** What a server may hold beyond what it held when it had begun. */
const MOST_GROWTH_BYTES = 256 * 1024 * 1024;

/** What a server says to a connection that it does not let in. */
const NO_PLACE = /^HTTP\/1\.1 503 [^]*Too many connections/;

/** Alice is somebody else, and has a secret; the attacker may be Bob. */
const TOKENS = { alice: secret(), bob: secret(), metrics: secret() };
export type Principal = "alice" | "bob";

/** How the attacked server on HTTP is configured. */
export const CONFIGURATION = `[transport_http]
port = 0
max_connections = ${PLACES}
connection_idle_seconds = ${IDLE_MS / 1000}
request_timeout_seconds = ${IDLE_MS / 1000}
auth_failure_limit = 0
max_request_bytes = 1_048_576
[metrics]
token = "${TOKENS.metrics}"
`;
/** Its environment. */
export const ENVIRONMENT = { WASMBOX_AUTH_TOKENS: `alice=${TOKENS.alice},bob=${TOKENS.bob}` };

export class FrontDoor implements AsyncDisposable {
  readonly #bystander: Bystander;
  #memoryBytes = 0;
  #ids = 0;

  private constructor(
    readonly url: URL,
    readonly canaries: Canaries,
    readonly server: HttpServer,
  ) {
    const client = { call: (tool: string, args: unknown) => this.call("alice", tool, args) };
    this.#bystander = new Bystander(client, canaries.sessionSecret);
  }

  /** @param canaries Its own: they end with it. @throws {NoAnswer} if the server does not start. */
  static async open(command: Command, canaries: Canaries): Promise<FrontDoor> {
    const server = new HttpServer(command);
    const door = new FrontDoor(await server.url, canaries, server);
    await door.#bystander.settle();
    door.#memoryBytes = await door.#memory();
    return door;
  }

  /** The name of Alice's session. */
  get bystander(): string {
    return this.#bystander.session;
  }

  /** The header of a principal's token. */
  token(principal: Principal): string {
    return `Authorization: Bearer ${TOKENS[principal]}`;
  }

  /** A connection. @param text What is sent at once, as far as the server takes it. */
  async connect(text = ""): Promise<RawClient> {
    return await RawClient.connect(this, text);
  }

  /** Sends bytes on a connection of their own. @returns The first answer. @throws {NoAnswer} */
  async ask(text: string): Promise<RawAnswer> {
    return await this.#placed(text, async (client) => {
      const answer = await client.answer();
      return { answer, said: `${answer.head}\r\n\r\n${answer.body}` };
    });
  }

  /** Sends bytes on a connection of their own. @returns All that is said until it is closed. @throws {NoAnswer} */
  async all(text: string): Promise<string> {
    return await this.#placed(text, async (client) => {
      const said = await client.rest();
      return { answer: said, said };
    });
  }

  /** Calls a tool. @throws {NoAnswer} */
  async call(principal: Principal, tool: string, args: unknown): Promise<Answer> {
    const params = { name: tool, arguments: args };
    const message = JSON.stringify({ jsonrpc: "2.0", id: ++this.#ids, method: "tools/call", params });
    const { status, body } = await this.ask(
      post(message, lengthOf(message), this.token(principal), "Connection: close"),
    );
    if (status !== 200) {
      throw new NoAnswer(`${tool} of ${principal} was answered ${status}: ${body.slice(0, 200)}`);
    }
    return answerOf(JSON.parse(body) as Message);
  }

  /** Waits until there is a place for as many connections as the server is told to take. @throws {NoAnswer} */
  async allPlaces(): Promise<void> {
    let got: number[] = [];
    for (const end = performance.now() + DEADLINE_MS; performance.now() < end;) {
      const clients = await Promise.all(Array.from({ length: PLACES }, () => this.connect(get("/health"))));
      got = await Promise.all(clients.map((client) => client.answer().then(({ status }) => status, () => 0)));
      // Those that the server lets go have given back their places, or will in a moment.
      const released = clients.map((client) => client.connection.closeWrite().then(() => client.rest()));
      await this.inTime("the last of the connections", Promise.allSettled(released));
      for (const client of clients) client[Symbol.dispose]();
      if (got.every((status) => status === 200)) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new NoAnswer(
      `of ${PLACES} connections ${got.filter((status) => status !== 200).length} have no place`,
    );
  }

  /** @throws {NoAnswer} if that takes too long. */
  async inTime<T>(what: string, promise: Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new NoAnswer(`${what} was not over in time`)), DEADLINE_MS);
    try {
      return await Promise.race([promise, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.canaries[Symbol.asyncDispose]();
  }

  /** What was lost or hurt since the last look. @throws {NoAnswer} */
  async complaints(): Promise<string[]> {
    await this.allPlaces();
    const complaints = await this.#bystander.complaints();
    const grown = await this.#memory() - this.#memoryBytes;
    if (grown > MOST_GROWTH_BYTES) complaints.push(`the server has grown by ${grown} bytes`);
    return [...complaints, ...await this.canaries.complaints()];
  }

  /**
   * Places of connections that were just closed may not be free yet, and on a busy machine the server may have waited for
   * a request as long as it does before it reads it: who finds no place, or hears nothing, comes again.
   */
  async #placed<T>(
    text: string,
    listen: (client: RawClient) => Promise<{ readonly answer: T; readonly said: string }>,
  ) {
    for (const end = performance.now() + DEADLINE_MS; performance.now() < end;) {
      using client = await this.connect(text);
      const heard = await this.inTime("a request", listen(client)).catch((error: unknown) => {
        if (error instanceof Closed && error.said === "") return undefined;
        throw error;
      });
      if (heard) {
        this.canaries.watch(heard.said);
        if (!NO_PLACE.test(heard.said)) return heard.answer;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new NoAnswer("there was no place for a connection, or no answer on it");
  }

  async #memory(): Promise<number> {
    const header = `Authorization: Bearer ${TOKENS.metrics}`;
    const { body } = await this.ask(get("/metrics", header, "Connection: close"));
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(body)?.[1]);
  }
}

function secret(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
