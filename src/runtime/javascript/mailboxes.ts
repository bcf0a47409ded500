/**
 * What threads of a program have for each other: messages that wait, by who gets them, and whose the ends of channels
 * are. It is in bounds: nobody need read what others post.
 */

import { GuestError } from "./guest_error.ts";

/** `to`: the number of a port, or of the thread that tells it. */
export interface Message {
  readonly to: number;
  readonly kind: string;
  readonly data: Uint8Array;
  readonly text: string;
}

const NO_BYTES = new Uint8Array(0);
/** Most that may be under way, with what each message takes by itself. */
const MOST_BYTES = 64 * 1024 * 1024;
const MESSAGE_BYTES = 256;
const MOST_CHANNELS = 10_000;
const otherOf = (port: number) => port % 2 === 0 ? port + 1 : port - 1;

/** There is one of each for a thread or a channel, of which there are only so many. */
const TOLD_IN_ANY_CASE: ReadonlySet<string> = new Set(["online", "exit", "close"]);

function bytesOf({ data, text }: Message): number {
  return MESSAGE_BYTES + data.length + 2 * text.length;
}

/** @template Owner Who gets messages. */
export class Mailboxes<Owner extends object = object> {
  readonly #boxes = new Map<Owner, Message[]>();
  readonly #owners = new Map<number, Owner>();
  readonly #closed = new Set<Owner>();
  #channels = 0;
  #bytes = 0;

  has(owner: Owner): boolean {
    return (this.#boxes.get(owner)?.length ?? 0) > 0;
  }

  /** @throws {GuestError} if too much is under way. */
  put(owner: Owner, message: Message): void {
    if (this.#closed.has(owner)) return;
    const bytes = bytesOf(message);
    if (!TOLD_IN_ANY_CASE.has(message.kind) && this.#bytes + bytes > MOST_BYTES) {
      throw new GuestError(
        `more than ${
          MOST_BYTES >> 20
        } MiB of messages wait for other threads: let them be read before more are posted`,
      );
    }
    this.#bytes += bytes;
    const box = this.#boxes.get(owner);
    if (box) box.push(message);
    else this.#boxes.set(owner, [message]);
  }

  take(owner: Owner): Message | undefined {
    const message = this.#boxes.get(owner)?.shift();
    if (message) this.#bytes -= bytesOf(message);
    return message;
  }

  /** It gets no more. */
  close(owner: Owner): void {
    this.#closed.add(owner);
    while (this.take(owner));
    this.#boxes.delete(owner);
    for (const [port, each] of [...this.#owners]) if (each === owner) this.closePort(port);
  }

  /**
   * Both of its ends are the owner's.
   *
   * @returns The number of the first; that of the second is the next one. @throws {GuestError} if there are too many.
   */
  newChannel(owner: Owner): number {
    if (this.#owners.size >= 2 * MOST_CHANNELS) {
      throw new GuestError(`threads may have ${MOST_CHANNELS} channels: close some`);
    }
    const port = 2 * ++this.#channels;
    this.#owners.set(port, owner);
    this.#owners.set(port + 1, owner);
    return port;
  }

  /** @param moved Ports that go with it. */
  post(from: number, data: Uint8Array, moved: readonly number[]): void {
    this.forward(otherOf(from), data, moved);
  }

  /** As {@link post}, of what has come for a port that has gone elsewhere meanwhile. */
  forward(to: number, data: Uint8Array, moved: readonly number[]): void {
    const owner = this.#owners.get(to);
    if (!owner) return;
    this.put(owner, { to, kind: "message", data, text: JSON.stringify(moved) });
    for (const port of moved) this.move(port, owner);
  }

  /** A port has another owner, with what waits for it. */
  move(port: number, owner: Owner): void {
    const before = this.#owners.get(port);
    if (!before || before === owner) return;
    this.#owners.set(port, owner);
    const box = this.#boxes.get(before) ?? [];
    const follows = ({ to, kind }: Message) => to === port && kind === "message";
    if (!box.some(follows)) return;
    this.#boxes.set(before, box.filter((message) => !follows(message)));
    this.#boxes.set(owner, [...this.#boxes.get(owner) ?? [], ...box.filter(follows)]);
  }

  closePort(port: number): void {
    const other = otherOf(port);
    const owner = this.#owners.get(other);
    this.#owners.delete(port);
    this.#owners.delete(other);
    if (owner) this.put(owner, { to: other, kind: "close", data: NO_BYTES, text: "" });
  }
}
