/** The host's functions as the guest has them: by numbers, and raising what they throw. */

import { ImageError } from "../../executor/wire/image_error.ts";
import { type Exports, type Pointer, type Value, VALUE_BYTES } from "./abi.ts";
import { GuestError } from "./guest_error.ts";
import { EngineOutOfMemory, type LinearMemory } from "./linear_memory.ts";
import type { EngineState } from "./state.ts";
import type { Values } from "./values.ts";

/** A host function: borrows its arguments, returns an owned value or nothing; throws {@link GuestError} only. */
export type HostFunction = (args: readonly Value[]) => Value | void;

/** What a table needs of the engine that it is of. */
export interface TableEngine {
  readonly exports: Exports;
  readonly memory: LinearMemory;
  readonly values: Values;
  readonly context: Pointer;
  /** What QuickJS itself raises where there is no room, owned. */
  readonly outOfMemory: () => Value;
}

export class HostTable {
  readonly #engine: TableEngine;
  readonly #functions = new Map<number, HostFunction>();
  readonly #names: string[] = [];

  constructor(engine: TableEngine) {
    this.#engine = engine;
  }

  /** In the order of their numbers. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** A plain object whose properties are host functions. */
  add(table: Readonly<Record<string, HostFunction>>): Value {
    const { exports, memory, values, context } = this.#engine;
    const object = values.object();
    for (const [name, id] of this.#bind(table)) {
      const key = memory.allocateString(name);
      const value = exports.newFunction(context, key, id);
      memory.free(key);
      values.setProperty(object, name, value);
      values.free(value);
    }
    return object;
  }

  /**
   * The host functions of a heap that the engine goes on with: it holds their numbers.
   *
   * @throws {ImageError} if they are not these.
   */
  addAgain(table: Readonly<Record<string, HostFunction>>, { functions }: EngineState): void {
    const bound = this.#bind(table);
    if (functions.length !== bound.length || bound.some(([name], index) => name !== functions[index])) {
      throw new ImageError("the heap was made with other host functions");
    }
  }

  /** Gives host functions the numbers that they are called by. */
  #bind(table: Readonly<Record<string, HostFunction>>): (readonly [name: string, id: number])[] {
    return Object.entries(table).map(([name, fn]) => {
      const id = this.#functions.size + 1;
      this.#functions.set(id, fn);
      this.#names.push(name);
      return [name, id];
    });
  }

  /** Called by the guest. */
  call(count: number, argv: Pointer, id: number): Value | 0 {
    const args: Value[] = [];
    for (let i = 0; i < count; i++) {
      args.push(argv + i * VALUE_BYTES as Value);
    }
    return this.#raising(() => this.#functions.get(id)?.(args) ?? 0, (raised) => raised);
  }

  /** An allocated C string that QuickJS will free, or 0 after raising what `make` threw. */
  text(make: () => string): Pointer {
    const { memory, values } = this.#engine;
    return this.#raising(() => memory.allocateString(make()), (raised) => (values.free(raised), 0));
  }

  /** What `work` gives, or `otherwise` of the marker of an exception after raising in the guest what it threw. */
  #raising<T>(work: () => T, otherwise: (raised: Value) => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof EngineOutOfMemory) return otherwise(this.#raise(this.#engine.outOfMemory()));
      if (!(error instanceof GuestError)) throw error;
      return otherwise(this.#raise(this.#errorOf(error)));
    }
  }

  #errorOf(error: GuestError): Value {
    const { exports, values, context } = this.#engine;
    const value = exports.newError(context);
    // Its stack was written while it had no message.
    const frames = values.textOf(value, "stack").replace(/^Error(?=\n|$)/, "");
    const stack = `${error.fields["name"] ?? "Error"}: ${error.message}${frames}`;
    for (const [name, text] of Object.entries({ message: error.message, ...error.fields, stack })) {
      const property = values.string(text);
      values.setProperty(value, name, property);
      values.free(property);
    }
    return value;
  }

  #raise(error: Value): Value {
    const thrown = this.#engine.exports.throwValue(this.#engine.context, error);
    this.#engine.values.free(error);
    return thrown;
  }
}
