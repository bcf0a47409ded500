/**
 * Bytes as base64 and hexadecimal digits, for guests: inside QuickJS ten megabytes take seconds, and as many pieces of
 * text more memory than a heap has. What comes and goes is as large as the guest's own memory lets it be.
 */

import { GuestError } from "./guest_error.ts";

/** Of what names an encoding. */
const LABEL_MAX = 100;
/** Bytes for a unit of fuel: as long as one of the guest's own takes, with what is copied in and out. */
const BYTES_PER_FUEL = 16;

const ENCODERS: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  base64: (bytes) => bytes.toBase64(),
  base64url: (bytes) => bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
  hex: (bytes) => bytes.toHex(),
};
const DECODERS: Readonly<Record<string, (text: string) => Uint8Array>> = {
  base64: (text) => Uint8Array.fromBase64(text),
  base64url: (text) => Uint8Array.fromBase64(text, { alphabet: "base64url" }),
  hex: (text) => Uint8Array.fromHex(text),
};

function of<Coder>(coders: Readonly<Record<string, Coder>>, name: string): Coder {
  const coder = Object.hasOwn(coders, name) ? coders[name] : undefined;
  if (!coder) throw new GuestError(`there is no encoding ${JSON.stringify(name.slice(0, 50))}`);
  return coder;
}

/**
 * The functions by the names they have for the prelude.
 *
 * @param charge Takes fuel for what is done.
 */
export function binaryText(charge: (fuel: number) => void) {
  return {
    bytesToText(encoding: string, bytes: Uint8Array): string {
      const encode = of(ENCODERS, encoding);
      charge(Math.ceil(bytes.length / BYTES_PER_FUEL));
      return encode(bytes);
    },

    /** The name of an encoding of the web's; undefined if there is none. */
    encodingNamed(label: string): string | undefined {
      if (label.length > LABEL_MAX) return undefined;
      try {
        return new TextDecoder(label).encoding;
      } catch {
        return undefined;
      }
    },

    /** Text in an encoding of the web's, as its UTF-16, which may have anything in it. */
    decodeText(label: string, bytes: Uint8Array, fatal: boolean): Uint8Array {
      charge(Math.ceil(bytes.length / BYTES_PER_FUEL));
      let text;
      try {
        text = new TextDecoder(label, { fatal, ignoreBOM: true }).decode(bytes);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new GuestError(`The encoded data was not valid ${label}`, { name: "TypeError" });
      }
      const units = new Uint8Array(2 * text.length);
      const view = new DataView(units.buffer);
      for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), true);
      return units;
    },

    /** @returns undefined if it is not written in this encoding; white space and absent padding are let through. */
    textToBytes(encoding: string, text: string): Uint8Array | undefined {
      const decode = of(DECODERS, encoding);
      charge(Math.ceil(text.length / BYTES_PER_FUEL));
      try {
        return decode(text);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        return undefined;
      }
    },
  };
}
