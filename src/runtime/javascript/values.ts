/** The guest's values: made of the host's, read as the host's, owned and freed. */

import { type Exports, type Pointer, PromiseState, type Value } from "./abi.ts";
import { readCString } from "./instance.ts";
import { EngineOutOfMemory, type LinearMemory } from "./linear_memory.ts";

/** An exception of the guest, as a value. The receiver frees it. */
export interface Thrown {
  readonly thrown: Value;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

export class Values {
  readonly #x: Exports;
  readonly #memory: LinearMemory;
  readonly #context: Pointer;

  constructor(exports: Exports, memory: LinearMemory, context: Pointer) {
    this.#x = exports;
    this.#memory = memory;
    this.#context = context;
  }

  // In.

  /** `text` up to its first NUL. */
  string(text: string): Value {
    return this.stringFromUtf8(encoder.encode(text));
  }

  /** The text in `utf8`, up to its first NUL. */
  stringFromUtf8(utf8: Uint8Array): Value {
    const at = this.#memory.allocateUtf8(utf8);
    const value = this.#x.newString(this.#context, at);
    this.#memory.free(at);
    return value;
  }

  number(value: number): Value {
    return this.#x.newNumber(this.#context, value);
  }

  undefined(): Value {
    return this.#x.newUndefined();
  }

  /** A new ArrayBuffer with a copy of `bytes`. */
  arrayBuffer(bytes: Uint8Array): Value {
    const at = this.#memory.allocate(bytes.byteLength);
    this.#memory.view().set(bytes, at);
    const value = this.#x.newArrayBuffer(this.#context, at, bytes.byteLength);
    this.#memory.free(at);
    return value;
  }

  object(): Value {
    return this.#x.newObject(this.#context);
  }

  setProperty(object: Value, name: string, value: Value): void {
    const key = this.string(name);
    this.#x.setProperty(this.#context, object, key, value);
    this.free(key);
  }

  /** The value that a JSValue stands for which the host was told of. @returns undefined if there is no room. */
  hold(told: bigint): Value | undefined {
    const at = this.#memory.tryAllocate(8) as Value;
    if (at === 0) return undefined;
    new DataView(this.#memory.memory.buffer).setBigUint64(at, told, true);
    const value = this.duplicate(at);
    this.#memory.free(at);
    return value;
  }

  /** The JSValue that a value is, as {@link hold} takes it. */
  told(value: Value): bigint {
    return new DataView(this.#memory.memory.buffer).getBigInt64(value, true);
  }

  // Out.

  /** Whether it is an iterator of a Map or a Set that gives pairs. */
  givesEntries(value: Value): boolean {
    return this.#x.givesEntries(value) !== 0;
  }

  getProperty(object: Value, name: string): Value {
    const key = this.string(name);
    const value = this.#x.getProperty(this.#context, object, key);
    this.free(key);
    return value;
  }

  /** A property as text; empty if a getter of it throws, as any does that is called where the program is to end. */
  textOf(object: Value, name: string): string {
    const value = this.getProperty(object, name);
    const thrown = this.#x.takeException(this.#context, value);
    if (thrown === 0) return this.takeString(value);
    this.free(value);
    this.free(thrown);
    return "";
  }

  toNumber(value: Value): number {
    return this.#x.toNumber(this.#context, value);
  }

  /** As {@link toNumber}, and frees it. */
  takeNumber(value: Value): number {
    const number = this.toNumber(value);
    this.free(value);
    return number;
  }

  /** UTF-8 of a string up to its first NUL. @returns a copy that the caller owns. */
  toUtf8(value: Value): Uint8Array {
    const at = this.#x.toCString(this.#context, value) >>> 0;
    if (at === 0) throw new EngineOutOfMemory("no room for a copy of a string");
    const view = this.#memory.view();
    const bytes = view.slice(at, view.indexOf(0, at));
    this.#x.freeCString(this.#context, at);
    return bytes;
  }

  toString(value: Value): string {
    return decoder.decode(this.toUtf8(value));
  }

  /** As {@link toString}, and frees it. */
  takeString(value: Value): string {
    const text = this.toString(value);
    this.free(value);
    return text;
  }

  /** An argument of a host function as text; the caller keeps it. */
  given(value: Value | undefined): string {
    return value === undefined ? "" : this.toString(value);
  }

  /** As {@link takeString}, of what a guest may have made as long as its memory allows. @returns undefined if it is longer. */
  takeBoundedString(value: Value, maxBytes: number): string | undefined {
    const bytes = this.toUtf8(value);
    this.free(value);
    return bytes.length <= maxBytes ? decoder.decode(bytes) : undefined;
  }

  /** A copy of an ArrayBuffer; of any other value, nothing. */
  toBytes(arrayBuffer: Value): Uint8Array<ArrayBuffer> {
    const length = this.#x.arrayBufferLength(this.#context, arrayBuffer) >>> 0;
    const at = this.#x.arrayBufferBytes(this.#context, arrayBuffer) >>> 0;
    return this.#memory.view().slice(at, at + length);
  }

  /** The bytes of an ArrayBuffer, or one that is shared, until anything else is called; undefined of any other value. */
  bytesOf(buffer: Value): Uint8Array | undefined {
    const at = this.#x.arrayBufferBytes(this.#context, buffer) >>> 0;
    if (at === 0) return undefined;
    return this.#memory.view().subarray(at, at + (this.#x.arrayBufferLength(this.#context, buffer) >>> 0));
  }

  /** "undefined", "object", … as `typeof` says. */
  typeOf(value: Value): string {
    const at = this.#x.typeOf(this.#context, value);
    const text = readCString(this.#memory.memory, at);
    this.#x.freeCString(this.#context, at);
    return text;
  }

  /** The state of a promise; "none" for any other value. Fulfilled and rejected come with an owned value. */
  promise(
    value: Value,
  ): { state: "none" | "pending" } | { state: "fulfilled" | "rejected"; readonly value: Value } {
    const state = this.#x.promiseState(this.#context, value);
    if (state === PromiseState.pending) return { state: "pending" };
    if (state !== PromiseState.fulfilled && state !== PromiseState.rejected) return { state: "none" };
    return {
      state: state === PromiseState.fulfilled ? "fulfilled" : "rejected",
      value: this.#x.promiseResult(this.#context, value),
    };
  }

  // Owned.

  /** Another one that is owned. */
  duplicate(value: Value): Value {
    return this.#x.duplicate(this.#context, value);
  }

  /** Frees a value, or what a call gave or threw. */
  free(given: Value | Thrown): void {
    this.#x.freeValue(this.#context, typeof given === "object" ? given.thrown : given);
  }
}
