/** Signatures, secrets that two share, and pairs of keys: elliptic curves, RSA. */
import { CURVES, EDWARDS, keyFrom, keyOf, NAMES, publicOf, rsaKey } from "./asymmetric_keys.js";
import { asBytes, buffers, elements, integer, sequence } from "./der.js";
import { coded, notHere } from "./errors.js";
import * as rsa from "./rsa.js";
import { hooks } from "./runtime.js";

const random = (size) => new Uint8Array(hooks.modules.crypto.randomBytes(size));

function digested(name, data) {
  return new Uint8Array(hooks.modules.crypto.createHash(name).update(data).digest());
}

function signed(algorithm, data, given) {
  const key = keyFrom(given, "private");
  const { asymmetricKeyType: kind, name, curve, scalar } = key.fields;
  if (kind === "rsa") return rsa.sign(algorithm, data, given, key.fields);
  if (kind === "ed25519") return curve.sign(data, scalar);
  if (kind !== "ec") {
    throw coded(
      Error,
      "ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE",
      "operation not supported for this keytype",
    );
  }
  const hash = digested(algorithm ?? "sha256", data);
  const compact = curve.sign(hash, scalar, { prehash: false, lowS: false });
  if (given?.dsaEncoding === "ieee-p1363") return compact;
  const { size } = CURVES[name];
  return sequence(integer(compact.subarray(0, size)), integer(compact.subarray(size)));
}

function verified(algorithm, data, given, signature) {
  const key = keyFrom(given, "public");
  const { asymmetricKeyType: kind, name, curve, point } = key.fields;
  if (kind === "rsa") return rsa.verify(algorithm, data, given, key.fields, signature);
  try {
    if (kind === "ed25519") return curve.verify(signature, data, point);
    const { size } = CURVES[name];
    let compact = signature;
    if (given?.dsaEncoding !== "ieee-p1363") {
      const parts = elements(elements(signature)[0].body).map(({ body }) => {
        const bytes = new Uint8Array(size);
        const short = body.length > size ? body.subarray(body.length - size) : body;
        bytes.set(short, size - short.length);
        return bytes;
      });
      compact = new Uint8Array([...parts[0], ...parts[1]]);
    }
    return curve.verify(compact, digested(algorithm ?? "sha256", data), point, {
      prehash: false,
      lowS: false,
    });
  } catch {
    return false;
  }
}

function signer(verifies) {
  return (algorithm, options) => {
    const { crypto, stream } = hooks.modules;
    crypto.createHash(`${algorithm}`);
    const parts = [];
    const made = new stream.Writable({
      ...options,
      write(chunk, _encoding, callback) {
        parts.push(asBytes(chunk));
        callback();
      },
    });
    made.update = (data, encoding) => {
      parts.push(asBytes(data, encoding));
      return made;
    };
    const message = () => buffers().concat(parts);
    if (verifies) {
      made.verify = (key, signature, encoding) =>
        verified(algorithm, message(), key, asBytes(signature, encoding));
    } else {
      made.sign = (key, encoding) => {
        const bytes = buffers().from(signed(algorithm, message(), key));
        return encoding ? bytes.toString(encoding) : bytes;
      };
    }
    return made;
  };
}

function generateKeyPairSync(kind, options = {}) {
  if (kind === "rsa" || kind === "rsa-pss") {
    const numbers = rsa.makeKey(options);
    return encoded({ publicKey: rsaKey("public", numbers), privateKey: rsaKey("private", numbers) }, options);
  }
  let name;
  if (kind === "ec") {
    name = NAMES[options.namedCurve] ?? options.namedCurve;
    if (!Object.hasOwn(CURVES, name)) {
      throw coded(Error, "ERR_OSSL_EVP_INVALID_CURVE", "Invalid EC curve name");
    }
  } else if (!Object.hasOwn(EDWARDS, kind)) {
    throw notHere(`A pair of keys of the type ${kind}`, "nothing here computes with it");
  }
  const curve = kind === "ec" ? CURVES[name].curve : EDWARDS[kind].curve;
  const scalar = curve.utils.randomSecretKey(random(curve.lengths.seed));
  const point = publicOf(kind, name, scalar);
  return encoded({
    publicKey: keyOf("public", kind, name, undefined, point),
    privateKey: keyOf("private", kind, name, scalar, point),
  }, options);
}
const encoded = ({ publicKey, privateKey }, { publicKeyEncoding, privateKeyEncoding }) => ({
  publicKey: publicKeyEncoding ? publicKey.export(publicKeyEncoding) : publicKey,
  privateKey: privateKeyEncoding ? privateKey.export(privateKeyEncoding) : privateKey,
});

function createECDH(given) {
  const name = NAMES[given] ?? given;
  if (!Object.hasOwn(CURVES, name)) throw coded(Error, "ERR_CRYPTO_INVALID_CURVE", "Invalid EC curve name");
  const { curve } = CURVES[name];
  let scalar;
  const give = (bytes, encoding) =>
    encoding ? buffers().from(bytes).toString(encoding) : buffers().from(bytes);
  const ecdh = {
    generateKeys(encoding, format) {
      scalar = curve.utils.randomSecretKey(random(curve.lengths.seed));
      return ecdh.getPublicKey(encoding, format);
    },
    getPublicKey: (encoding, format) => give(curve.getPublicKey(scalar, format === "compressed"), encoding),
    getPrivateKey: (encoding) => give(scalar, encoding),
    setPrivateKey(key, encoding) {
      scalar = asBytes(key, encoding);
    },
    computeSecret: (other, inputEncoding, outputEncoding) =>
      give(curve.getSharedSecret(scalar, asBytes(other, inputEncoding)).slice(1), outputEncoding),
  };
  return ecdh;
}

export function asymmetric() {
  const { KeyObject } = hooks.modules.crypto;
  /** @param wanted Of a key. @param work `(given, fields, data)`. */
  const withRsa = (wanted, work) => (given, data) => {
    const key = keyFrom(given, wanted);
    if (key.asymmetricKeyType !== "rsa") {
      throw coded(
        Error,
        "ERR_OSSL_EVP_OPERATION_NOT_SUPPORTED_FOR_THIS_KEYTYPE",
        "operation not supported for this keytype",
      );
    }
    return buffers().from(work(given?.key === undefined ? undefined : given, key.fields, asBytes(data)));
  };
  const createSecretKey = (key, encoding) =>
    new KeyObject({ type: "secret", secret: asBytes(key, encoding) });
  const withCallback = (call) => (...args) => {
    const done = args.pop();
    let result;
    try {
      result = call(...args);
    } catch (error) {
      setImmediate(done, error);
      return;
    }
    setImmediate(done, null, ...result?.publicKey ? [result.publicKey, result.privateKey] : [result]);
  };
  const generateKeySync = (_type, { length }) => createSecretKey(random(length / 8));
  return {
    createSign: signer(false),
    createVerify: signer(true),
    sign: (algorithm, data, key, callback) => {
      const make = () => buffers().from(signed(algorithm, asBytes(data), key));
      return callback ? withCallback(make)(callback) : make();
    },
    verify: (algorithm, data, key, signature, callback) => {
      const look = () => verified(algorithm, asBytes(data), key, asBytes(signature));
      return callback ? withCallback(look)(callback) : look();
    },
    generateKeyPairSync,
    generateKeyPair: withCallback(generateKeyPairSync),
    generateKeySync,
    generateKey: withCallback(generateKeySync),
    createPrivateKey: (key) => keyFrom(key, "private"),
    createPublicKey: (key) => keyFrom(key, "public"),
    createSecretKey,
    createECDH,
    diffieHellman: ({ privateKey, publicKey }) => {
      const { asymmetricKeyType: kind, curve, scalar } = privateKey.fields;
      const secret = curve.getSharedSecret(scalar, publicKey.fields.point);
      return buffers().from(kind === "ec" ? secret.slice(1) : secret);
    },
    publicEncrypt: withRsa("public", rsa.encrypt),
    privateDecrypt: withRsa("private", rsa.decrypt),
    privateEncrypt: withRsa("private", (_given, fields, data) => rsa.wrap(fields, data)),
    publicDecrypt: withRsa("public", (_given, fields, data) => rsa.unwrap(fields, data)),
  };
}
