/** What resvg's wasm (@resvg/resvg-wasm 2.6.2, made by wasm-bindgen) exports, and the JavaScript it asks for. */

/** An address in linear memory. */
type Pointer = number;
/** A number that stands for a JavaScript value in the wasm. */
type Handle = number;

export interface Exports {
  readonly memory: WebAssembly.Memory;
  /** Added by metering. */
  readonly sandbox_fuel: WebAssembly.Global;
  readonly sandbox_max_pages: WebAssembly.Global;
  /** Each of the three writes [result, error, whether it failed] to `out`. */
  resvg_new(out: Pointer, svg: Handle, options: Pointer, optionsLength: number, fonts: Handle): void;
  resvg_render(out: Pointer, resvg: Pointer): void;
  renderedimage_asPng(out: Pointer, image: Pointer): void;
  resvg_width(resvg: Pointer): number;
  resvg_height(resvg: Pointer): number;
  renderedimage_width(image: Pointer): number;
  renderedimage_height(image: Pointer): number;
  __wbindgen_malloc(bytes: number, alignment: number): Pointer;
  __wbindgen_add_to_stack_pointer(bytes: number): Pointer;
  __wbindgen_exn_store(error: Handle): void;
}

/** Handles below stand for constants of the wasm: undefined, null, true, false. */
const CONSTANTS = [undefined, null, true, false];
const FIRST_CONSTANT = 128;

/** The JavaScript values that the wasm holds. They go with the instance: none is ever freed. */
export class Values {
  readonly #values: unknown[] = [...Array.from({ length: FIRST_CONSTANT }), ...CONSTANTS];

  add(value: unknown): Handle {
    return this.#values.push(value) - 1;
  }

  get(handle: Handle): unknown {
    return this.#values[handle];
  }

  /** @param exports Called once the instance is there. */
  imports(exports: () => Exports): Record<string, (...args: number[]) => unknown> {
    const bytes = (handle: Handle) => this.get(handle) as Uint8Array;
    const text = (at: Pointer, length: number) =>
      new TextDecoder().decode(new Uint8Array(exports().memory.buffer, at >>> 0, length >>> 0));
    return {
      __wbindgen_memory: () => this.add(exports().memory),
      __wbg_buffer_12d079cc21e14bdb: (memory) => this.add((this.get(memory!) as WebAssembly.Memory).buffer),
      __wbg_newwithbyteoffsetandlength_aa4a17c33a06e5cb: (buffer, at, length) =>
        this.add(new Uint8Array(this.get(buffer!) as ArrayBuffer, at! >>> 0, length! >>> 0)),
      __wbg_new_63b92bc8671ed464: (source) => this.add(new Uint8Array(this.get(source!) as ArrayBuffer)),
      __wbg_instanceof_Uint8Array_2b3bbecd033d19f6: (value) => Number(this.get(value!) instanceof Uint8Array),
      __wbg_length_c20a40f15020d68a: (value) => bytes(value!).length,
      __wbg_set_a47bac70306a19a7: (target, source, at) => bytes(target!).set(bytes(source!), at! >>> 0),
      __wbg_values_839f3396d5aac002: (list) => this.add((this.get(list!) as unknown[]).values()),
      __wbg_next_196c84450b364254: (iterator) => this.add((this.get(iterator!) as Iterator<unknown>).next()),
      __wbg_done_298b57d23c0fc80c: (step) => Number((this.get(step!) as IteratorResult<unknown>).done),
      __wbg_value_d93c65011f51a456: (step) => this.add((this.get(step!) as IteratorResult<unknown>).value),
      __wbg_new_16b304a2cfa7ff4a: () => this.add([]),
      __wbg_push_a5b05aedc7234f9f: (list, value) => (this.get(list!) as unknown[]).push(this.get(value!)),
      // It is given bytes, never a string.
      __wbindgen_string_get: (out) => void new Int32Array(exports().memory.buffer, out! >>> 0, 2).fill(0),
      __wbindgen_string_new: (at, length) => this.add(text(at!, length!)),
      __wbg_new_28c511d9baebfa89: (at, length) => this.add(new Error(text(at!, length!))),
      __wbindgen_object_drop_ref: () => {},
      __wbindgen_throw: (at, length) => {
        throw new Error(text(at!, length!));
      },
    };
  }
}
