/** What `crypto.subtle` does with pairs of keys, by what `node:crypto` has of them. */
import buffer from "./buffer.js";
import { hooks, platform } from "./runtime.js";

const { Buffer } = buffer;

const CURVES = { "P-256": "prime256v1", "P-384": "secp384r1", "P-521": "secp521r1" };
const EDWARDS = { ED25519: "Ed25519", X25519: "X25519" };
const RSA = { "RSASSA-PKCS1-V1_5": "RSASSA-PKCS1-v1_5", "RSA-PSS": "RSA-PSS", "RSA-OAEP": "RSA-OAEP" };
const DIGESTS = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512" };
/** What a private and a public key may be used for, by what their algorithm is for. */
const PRIVATE = ["sign", "decrypt", "unwrapKey", "deriveKey", "deriveBits"];

const failed = (name, message) => new platform.DOMException(message, name);
const nameOf = (algorithm) => `${algorithm?.name ?? algorithm}`.toUpperCase();
const hashName = (hash) => nameOf(hash);
const kindOf = (algorithm) => {
  const name = nameOf(algorithm);
  return name === "ECDSA" || name === "ECDH"
    ? "ec"
    : EDWARDS[name]
    ? "edwards"
    : RSA[name]
    ? "rsa"
    : undefined;
};
export const isAsymmetric = (algorithm) => kindOf(algorithm) !== undefined;

/** What a key says of its algorithm. @param key A KeyObject. */
function described(algorithm, key) {
  const name = nameOf(algorithm);
  const kind = kindOf(algorithm);
  if (kind === "ec") {
    if (!CURVES[algorithm.namedCurve]) {
      throw failed("NotSupportedError", `There is no curve ${algorithm.namedCurve}`);
    }
    return { name, namedCurve: algorithm.namedCurve };
  }
  if (kind === "edwards") return { name: EDWARDS[name] };
  const hash = hashName(algorithm.hash);
  if (!DIGESTS[hash]) throw failed("NotSupportedError", `There is no hash ${hash}`);
  const { modulusLength } = key.asymmetricKeyDetails;
  const exponent = Buffer.from(key.export({ format: "jwk" }).e, "base64url");
  return { name: RSA[name], modulusLength, publicExponent: new Uint8Array(exponent), hash: { name: hash } };
}
const usagesOf = (usages, type) => usages.filter((usage) => PRIVATE.includes(usage) === (type === "private"));

/** @param make `(secret, algorithm, extractable, usages, type) => CryptoKey`. */
export function generatePair(algorithm, extractable, usages, make) {
  const { crypto } = hooks.modules;
  const kind = kindOf(algorithm);
  const type = kind === "ec" ? "ec" : kind === "rsa" ? "rsa" : nameOf(algorithm).toLowerCase();
  if (kind === "ec" && !CURVES[algorithm.namedCurve]) {
    throw failed("NotSupportedError", `There is no curve ${algorithm.namedCurve}`);
  }
  const pair = crypto.generateKeyPairSync(type, {
    namedCurve: CURVES[algorithm.namedCurve],
    modulusLength: algorithm.modulusLength,
    publicExponent: algorithm.publicExponent,
  });
  const about = described(algorithm, pair.publicKey);
  return {
    publicKey: make(pair.publicKey, about, true, usagesOf(usages, "public"), "public"),
    privateKey: make(pair.privateKey, about, extractable, usagesOf(usages, "private"), "private"),
  };
}

export function importKey(format, data, algorithm, extractable, usages, make) {
  const { crypto } = hooks.modules;
  const name = nameOf(algorithm);
  let key;
  try {
    if (format === "spki") key = crypto.createPublicKey({ key: data, format: "der", type: "spki" });
    else if (format === "pkcs8") key = crypto.createPrivateKey({ key: data, format: "der", type: "pkcs8" });
    else if (format === "jwk") {
      key = data.d === undefined
        ? crypto.createPublicKey({ key: data, format: "jwk" })
        : crypto.createPrivateKey({ key: data, format: "jwk" });
    } else if (format === "raw") {
      key = crypto.createPublicKey({ key: jwkOf(name, algorithm, data), format: "jwk" });
    }
  } catch (error) {
    throw failed("DataError", `Invalid keyData: ${error.message}`);
  }
  if (!key) throw failed("NotSupportedError", `The format ${format} is not here`);
  return make(key, described(algorithm, key), extractable, [...usages], key.type);
}
function jwkOf(name, { namedCurve }, data) {
  const url = (bytes) => Buffer.from(bytes).toString("base64url");
  if (EDWARDS[name]) return { kty: "OKP", crv: EDWARDS[name], x: url(data) };
  const half = (data.length - 1) / 2;
  return { kty: "EC", crv: namedCurve, x: url(data.subarray(1, 1 + half)), y: url(data.subarray(1 + half)) };
}

export function exportKey(format, key, secret) {
  if (format === "jwk") {
    return { ...secret.export({ format }), key_ops: [...key.usages], ext: key.extractable };
  }
  const wanted = key.type === "public" ? "spki" : "pkcs8";
  if (format === "raw" && key.type === "public" && !key.algorithm.modulusLength) {
    const { x, y } = secret.export({ format: "jwk" });
    const parts = [
      ...y ? [Buffer.from([4])] : [],
      Buffer.from(x, "base64url"),
      Buffer.from(y ?? "", "base64url"),
    ];
    return new Uint8Array(Buffer.concat(parts)).buffer;
  }
  if (format !== wanted) {
    throw failed("InvalidAccessError", `Unable to export a ${key.type} key in ${format} format`);
  }
  return new Uint8Array(secret.export({ format: "der", type: wanted })).buffer;
}

/** What Node's `sign` and `verify` are told. */
function told(algorithm, key, secret) {
  const { constants } = hooks.modules.crypto;
  if (key.algorithm.name === "ECDSA") {
    return [DIGESTS[hashName(algorithm.hash)], { key: secret, dsaEncoding: "ieee-p1363" }];
  }
  if (key.algorithm.name === "Ed25519") return [null, secret];
  const digest = DIGESTS[key.algorithm.hash.name];
  return key.algorithm.name === "RSA-PSS"
    ? [digest, { key: secret, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.saltLength }]
    : [digest, { key: secret, padding: constants.RSA_PKCS1_PADDING }];
}
export function sign(algorithm, key, secret, data) {
  const [digest, options] = told(algorithm, key, secret);
  return new Uint8Array(hooks.modules.crypto.sign(digest, data, options)).buffer;
}
export function verify(algorithm, key, secret, signature, data) {
  const [digest, options] = told(algorithm, key, secret);
  return hooks.modules.crypto.verify(digest, data, options, signature);
}

export function cipher(algorithm, key, secret, encrypts, data) {
  const { crypto } = hooks.modules;
  const options = {
    key: secret,
    padding: crypto.constants.RSA_PKCS1_OAEP_PADDING,
    oaepHash: DIGESTS[key.algorithm.hash.name],
    oaepLabel: algorithm.label,
  };
  try {
    return new Uint8Array((encrypts ? crypto.publicEncrypt : crypto.privateDecrypt)(options, data)).buffer;
  } catch {
    throw failed("OperationError", "The operation failed for an operation-specific reason");
  }
}

/** The secret that two keys agree on. */
export function agreed(algorithm, secret, secretOf) {
  const bytes = hooks.modules.crypto.diffieHellman({
    privateKey: secret,
    publicKey: secretOf(algorithm.public),
  });
  return new Uint8Array(bytes);
}
