/** Keys of elliptic curves and of RSA: what they hold, and their forms, which are DER, PEM and JWK. */
import { ed25519, x25519 } from "@noble/curves/ed25519.js";
import { p256, p384, p521 } from "@noble/curves/nist.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { asBytes, buffers, der, elements, hexOf, integer, oid, pem, sequence, undecodable } from "./der.js";
import { coded, invalidKey, notHere } from "./errors.js";
import * as rsa from "./rsa.js";
import { hooks } from "./runtime.js";

export const CURVES = {
  prime256v1: { curve: p256, oid: "2a8648ce3d030107", jwk: "P-256", size: 32 },
  secp256k1: { curve: secp256k1, oid: "2b8104000a", jwk: "secp256k1", size: 32 },
  secp384r1: { curve: p384, oid: "2b81040022", jwk: "P-384", size: 48 },
  secp521r1: { curve: p521, oid: "2b81040023", jwk: "P-521", size: 66 },
};
export const NAMES = {
  "P-256": "prime256v1",
  "p256": "prime256v1",
  secp256r1: "prime256v1",
  "P-384": "secp384r1",
  "P-521": "secp521r1",
};
export const EDWARDS = {
  ed25519: { curve: ed25519, oid: "2b6570", jwk: "Ed25519" },
  x25519: { curve: x25519, oid: "2b656e", jwk: "X25519" },
};
const EC = "2a8648ce3d0201";
const RSA = "2a864886f70d010101";

/** @param name Of a curve. @returns A KeyObject whose `fields` have type, asymmetricKeyType, curve, secret scalar, public point. */
export function keyOf(type, kind, name, secretBytes, publicBytes) {
  const { KeyObject } = hooks.modules.crypto;
  const named = kind === "ec" ? CURVES[name] : EDWARDS[kind];
  const fields = {
    type,
    asymmetricKeyType: kind,
    asymmetricKeyDetails: kind === "ec" ? { namedCurve: name } : {},
    name,
    curve: named.curve,
    scalar: secretBytes,
    point: publicBytes,
    id: hexOf(publicBytes),
    export: (options) => exported(fields, options ?? {}),
  };
  return new KeyObject(fields);
}
export const publicOf = (kind, name, secretBytes) =>
  kind === "ec"
    ? CURVES[name].curve.getPublicKey(secretBytes, false)
    : EDWARDS[kind].curve.getPublicKey(secretBytes);

function exported(fields, { format = "pem", type }) {
  const { asymmetricKeyType: kind, name, scalar, point } = fields;
  const Buffer = buffers();
  if (format === "jwk") {
    const url = (bytes) => Buffer.from(bytes).toString("base64url");
    const half = (point.length - 1) / 2;
    const open = kind === "ec"
      ? {
        kty: "EC",
        x: url(point.subarray(1, 1 + half)),
        y: url(point.subarray(1 + half)),
        crv: CURVES[name].jwk,
      }
      : { crv: EDWARDS[kind].jwk, x: url(point), kty: "OKP" };
    return fields.type === "private" ? { ...open, d: url(scalar) } : open;
  }
  const algorithm = kind === "ec"
    ? sequence(oid(EC), oid(CURVES[name].oid))
    : sequence(oid(EDWARDS[kind].oid));
  let label;
  let bytes;
  if (fields.type === "public") {
    label = "PUBLIC KEY";
    bytes = sequence(algorithm, der(0x03, [0], point));
  } else if (type === "sec1") {
    label = "EC PRIVATE KEY";
    bytes = sequence(
      der(0x02, [1]),
      der(0x04, scalar),
      der(0xa0, oid(CURVES[name].oid)),
      der(0xa1, der(0x03, [0], point)),
    );
  } else {
    label = "PRIVATE KEY";
    const inner = kind === "ec"
      ? sequence(der(0x02, [1]), der(0x04, scalar), der(0xa1, der(0x03, [0], point)))
      : der(0x04, scalar);
    bytes = sequence(der(0x02, [0]), algorithm, der(0x04, inner));
  }
  return format === "der" ? bytes : pem(label, bytes);
}

// Keys of RSA. `fields`: numbers n, e, and of a private one d, p, q; bits.

const whole = (number) => integer(new Uint8Array([0, ...rsa.bytesOf(number)]));
export function rsaKey(type, { n, e, d, p, q }) {
  const { KeyObject } = hooks.modules.crypto;
  const bits = n.toString(2).length;
  const fields = {
    type,
    asymmetricKeyType: "rsa",
    asymmetricKeyDetails: { modulusLength: bits, publicExponent: e },
    ...type === "private" ? { n, e, d, p, q } : { n, e },
    bits,
    id: `${type} ${n} ${e}`,
    export: (options) => exportedRsa(fields, options ?? {}),
  };
  return new KeyObject(fields);
}

function exportedRsa(fields, { format = "pem", type, cipher }) {
  if (cipher) throw notHere("An encrypted private key", "nothing here seals it");
  const { n, e, d, p } = fields;
  const isPrivate = fields.type === "private";
  if (format === "jwk") {
    const url = (number) => buffers().from(rsa.bytesOf(number)).toString("base64url");
    const made = { kty: "RSA", n: url(n), e: url(e) };
    if (!isPrivate) return made;
    const names = ["p", "q", "dp", "dq", "qi"];
    const primes = rsa.primesOf(fields).map((number, at) => [names[at], url(number)]);
    return { ...made, d: url(d), ...Object.fromEntries(primes) };
  }
  if (isPrivate && p === undefined) {
    throw notHere("A key without its primes in this format", "it has none of them");
  }
  const inner = isPrivate
    ? sequence(...[0n, n, e, d, ...rsa.primesOf(fields)].map(whole))
    : sequence(whole(n), whole(e));
  const algorithm = sequence(oid(RSA), der(0x05));
  const plain = type === "pkcs1";
  const bytes = plain
    ? inner
    : isPrivate
    ? sequence(der(0x02, [0]), algorithm, der(0x04, inner))
    : sequence(algorithm, der(0x03, [0], inner));
  const label = `${plain ? "RSA " : ""}${isPrivate ? "PRIVATE" : "PUBLIC"} KEY`;
  return format === "der" ? bytes : pem(label, bytes);
}

/** @param bytes Of PKCS #1. */
function rsaFromDer(bytes, wanted) {
  const numbers = elements(elements(bytes)[0].body).map(({ body }) => rsa.numberOf(body));
  if (numbers.length < 9) return rsaKey("public", { n: numbers[0], e: numbers[1] });
  const [, n, e, d, p, q] = numbers;
  return rsaKey(wanted, { n, e, d, p, q });
}

function fromDer(bytes, wanted) {
  const [{ body }] = elements(bytes);
  const parts = elements(body);
  if (parts[0].tag === 0x30) {
    const [kindOid, curveOid] = elements(parts[0].body).map((each) => hexOf(each.body));
    if (kindOid === RSA) return rsaFromDer(parts[1].body.slice(1), "public");
    const point = parts[1].body.slice(1);
    const kind = kindOid === EC ? "ec" : Object.keys(EDWARDS).find((each) => EDWARDS[each].oid === kindOid);
    const name = Object.keys(CURVES).find((each) => CURVES[each].oid === curveOid);
    if (!kind || kind === "ec" && !name) throw undecodable();
    return keyOf(
      "public",
      kind,
      name,
      undefined,
      kind === "ec"
        ? CURVES[name].curve.Point.fromBytes(new Uint8Array(point)).toBytes(false)
        : new Uint8Array(point),
    );
  }
  let kind;
  let name;
  let scalar;
  if (parts[1].tag === 0x04) {
    name = Object.keys(CURVES).find((each) =>
      CURVES[each].oid === hexOf(elements(parts.find((part) => part.tag === 0xa0).body)[0].body)
    );
    kind = "ec";
    scalar = parts[1].body;
  } else if (parts[1].tag !== 0x30) return rsaFromDer(bytes, wanted);
  else {
    const [kindOid, curveOid] = elements(parts[1].body).map((each) => hexOf(each.body));
    if (kindOid === RSA) return rsaFromDer(parts[2].body, wanted);
    if (kindOid === EC) {
      kind = "ec";
      name = Object.keys(CURVES).find((each) => CURVES[each].oid === curveOid);
      scalar = elements(elements(parts[2].body)[0].body)[1].body;
    } else {
      kind = Object.keys(EDWARDS).find((each) => EDWARDS[each].oid === kindOid);
      scalar = elements(parts[2].body)[0].body;
    }
  }
  if (!kind || kind === "ec" && !name) throw undecodable();
  const secretBytes = new Uint8Array(scalar);
  const point = publicOf(kind, name, secretBytes);
  return wanted === "public"
    ? keyOf("public", kind, name, undefined, point)
    : keyOf("private", kind, name, secretBytes, point);
}

function fromJwk(jwk, wanted) {
  const bytes = (text) => new Uint8Array(buffers().from(text, "base64url"));
  if (jwk.kty === "RSA") {
    const numbers = Object.fromEntries(
      ["n", "e", "d", "p", "q"].filter((name) => jwk[name]).map((
        name,
      ) => [name, rsa.numberOf(bytes(jwk[name]))]),
    );
    return rsaKey(jwk.d && wanted === "private" ? "private" : "public", numbers);
  }
  const kind = jwk.kty === "EC" ? "ec" : Object.keys(EDWARDS).find((each) => EDWARDS[each].jwk === jwk.crv);
  const name = kind === "ec" ? NAMES[jwk.crv] ?? jwk.crv : undefined;
  if (!kind) throw coded(TypeError, "ERR_CRYPTO_INVALID_JWK", "Invalid JWK data");
  const point = kind === "ec" ? new Uint8Array([4, ...bytes(jwk.x), ...bytes(jwk.y)]) : bytes(jwk.x);
  return jwk.d !== undefined && wanted === "private"
    ? keyOf("private", kind, name, bytes(jwk.d), point)
    : keyOf("public", kind, name, undefined, point);
}

/** A key as it is given, in one of its forms. @param wanted "public" or "private". */
export function keyFrom(given, wanted) {
  const { KeyObject } = hooks.modules.crypto;
  const key = given?.key ?? given;
  if (key instanceof KeyObject) {
    if (key.type === wanted) return key;
    if (wanted === "public" && key.type === "private") {
      const { asymmetricKeyType, name, point } = key.fields;
      if (asymmetricKeyType === "rsa") return rsaKey("public", key.fields);
      return keyOf("public", asymmetricKeyType, name, undefined, point);
    }
    throw coded(
      TypeError,
      "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE",
      `Invalid key object type ${key.type}, expected ${wanted}.`,
    );
  }
  if (given?.format === "jwk") return fromJwk(key, wanted);
  if (typeof key !== "string" && !ArrayBuffer.isView(key) && !(key instanceof ArrayBuffer)) {
    throw invalidKey(key);
  }
  const bytes = asBytes(key);
  if (given?.format === "der") return fromDer(bytes, wanted);
  const text = buffers().from(bytes).toString();
  const [, label, base64] = /-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END/.exec(text) ?? [];
  if (!label) throw undecodable();
  if (label.startsWith("ENCRYPTED")) throw notHere("An encrypted private key", "nothing here opens it");
  return fromDer(new Uint8Array(buffers().from(base64, "base64")), wanted);
}
