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

function bytesOf({ data, text }: Message): number {
  return MESSAGE_BYTES + data.length + 2 * text.length;
}

/** First in, first out: an array alone moves all of what is left when its first is taken. */
class Box {
  #messages: (Message | undefined)[] = [];
  #taken = 0;

  get isEmpty(): boolean {
    return this.#taken === this.#messages.length;
  }

  add(message: Message): void {
    this.#messages.push(message);
  }

  take(): Message | undefined {
    if (this.isEmpty) return undefined;
    const message = this.#messages[this.#taken];
    this.#messages[this.#taken++] = undefined;
    if (2 * this.#taken >= this.#messages.length) {
      this.#messages = this.#messages.slice(this.#taken);
      this.#taken = 0;
    }
    return message;
  }

  /** @returns Those that are chosen, which are here no more. */
  takeAll(isChosen: (message: Message) => boolean): Message[] {
    const all = this.#messages.slice(this.#taken) as Message[];
    const chosen = all.filter(isChosen);
    if (chosen.length === 0) return [];
    this.#messages = all.filter((message) => !isChosen(message));
    this.#taken = 0;
    return chosen;
  }
}

/** @template Owner Who gets messages. */
export class Mailboxes<Owner extends object = object> {
  readonly #boxes = new Map<Owner, Box>();
  readonly #owners = new Map<number, Owner>();
  readonly #closed = new Set<Owner>();
  #channels = 0;
  #bytes = 0;

  has(owner: Owner): boolean {
    return this.#boxes.get(owner)?.isEmpty === false;
  }

  /** What a program posts. @throws {GuestError} if too much is under way. */
  put(owner: Owner, message: Message): void {
    if (this.#closed.has(owner)) return;
    this.#checkRoom(bytesOf(message));
    this.tell(owner, message);
  }

  /** As {@link put}, of what the host itself says of threads and channels, which there must have been room for. */
  tell(owner: Owner, message: Message): void {
    if (this.#closed.has(owner)) return;
    this.#bytes += bytesOf(message);
    this.#box(owner).add(message);
  }

  #checkRoom(bytes: number): void {
    if (this.#bytes + bytes <= MOST_BYTES) return;
    throw new GuestError(
      `more than ${
        MOST_BYTES >> 20
      } MiB of messages wait for other threads: let them be read before more are posted`,
    );
  }

  #box(owner: Owner): Box {
    const box = this.#boxes.get(owner) ?? new Box();
    this.#boxes.set(owner, box);
    return box;
  }

  take(owner: Owner): Message | undefined {
    const message = this.#boxes.get(owner)?.take();
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

  /** Nobody has anything any more. */
  clear(): void {
    for (const each of [this.#boxes, this.#owners, this.#closed]) each.clear();
    this.#channels = this.#bytes = 0;
  }

  /**
   * Both of its ends are the owner's.
   *
   * @returns The number of the first; that of the second is the next one.
   * @throws {GuestError} if there are too many, or too much is under way.
   */
  newChannel(owner: Owner): number {
    if (this.#owners.size >= 2 * MOST_CHANNELS) {
      throw new GuestError(`threads may have ${MOST_CHANNELS} channels: close some`);
    }
    // Its other end is told when one is closed.
    this.#checkRoom(MESSAGE_BYTES);
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
    this.move(moved, owner);
  }

  /** Ports have another owner, with what waits for them. */
  move(ports: readonly number[], owner: Owner): void {
    const moving = new Set(
      ports.filter((port) => this.#owners.has(port) && this.#owners.get(port) !== owner),
    );
    const before = new Set([...moving].map((port) => this.#owners.get(port)!));
    for (const port of moving) this.#owners.set(port, owner);
    const follows = ({ to, kind }: Message) => kind === "message" && moving.has(to);
    for (const each of before) {
      for (const message of this.#boxes.get(each)?.takeAll(follows) ?? []) this.#box(owner).add(message);
    }
  }

  closePort(port: number): void {
    const other = otherOf(port);
    const owner = this.#owners.get(other);
    this.#owners.delete(port);
    this.#owners.delete(other);
    if (owner) this.tell(owner, { to: other, kind: "close", data: NO_BYTES, text: "" });
  }
}
