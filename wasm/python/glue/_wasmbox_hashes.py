"""What hashlib has from OpenSSL elsewhere: pbkdf2_hmac and scrypt, with its checks and messages, and more hashes."""

import hashlib
import hmac

from _wasmbox_kdf import pbkdf2, scrypt as derive

# OpenSSL's bound of memory where maxmem is 0.
SCRYPT_MEMORY = 32 * 1024 * 1024
MOST = 2**31 - 1


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function."""
    if not isinstance(hash_name, str):
        raise TypeError(f"pbkdf2_hmac() argument 'hash_name' must be str, not {type(hash_name).__name__}")
    name = hash_name.lower().replace("-", "")
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    if iterations > MOST:
        raise OverflowError("iteration value is too great.")
    length = hashlib.new(name).digest_size if dklen is None else dklen
    if length < 1:
        raise ValueError("key length must be greater than 0.")
    if length > MOST:
        raise OverflowError("key length is too great.")
    try:
        return pbkdf2(name, password, salt, iterations, length)
    except LookupError:
        return of_any_hash(name, bytes(password), bytes(salt), iterations, length)


def of_any_hash(name, password, salt, iterations, length):
    """The same of hashes that the module in C does not know, such as SHA-3."""
    keyed = hmac.new(password, None, name)

    def mac(text):
        copy = keyed.copy()
        copy.update(text)
        return copy.digest()

    key = b""
    while len(key) < length:
        digest = mac(salt + (len(key) // keyed.digest_size + 1).to_bytes(4, "big"))
        total = int.from_bytes(digest, "big")
        for _ in range(iterations - 1):
            digest = mac(digest)
            total ^= int.from_bytes(digest, "big")
        key += total.to_bytes(keyed.digest_size, "big")
    return key[:length]


def scrypt(password, *, salt=None, n=None, r=None, p=None, maxmem=0, dklen=64):
    """scrypt password-based key derivation function."""
    if salt is None:
        raise TypeError("salt is required")
    if n is None or n < 2 or n & (n - 1):
        raise ValueError("n is required and must be a power of 2")
    if r is None or r < 1:
        raise ValueError("r is required and must be a positive int")
    if p is None or p < 1:
        raise ValueError("p is required and must be a positive int")
    if not 0 <= maxmem <= MOST:
        raise ValueError(f"maxmem must be positive and smaller than {MOST}")
    if not 1 <= dklen <= MOST:
        raise ValueError(f"dklen must be greater than 0 and smaller than {MOST}")
    if 128 * r * (n + p + 2) > (maxmem or SCRYPT_MEMORY):
        raise ValueError("Invalid parameter combination for n, r, p, maxmem: memory limit exceeded")
    return derive(password, salt, n, r, p, dklen)


def of_name(name):
    """Makes hashes of a kind; their module comes with the first one."""

    def digest(data=b"", **options):
        from _wasmbox_digests import DIGESTS

        return DIGESTS[name](data, **options)

    return digest


MORE = "ripemd160", "sha512_224", "sha512_256"


def install():
    made = {name: of_name(name) for name in MORE}
    cache = vars(hashlib)["__builtin_constructor_cache"]
    cache.update(made)
    # As OpenSSL calls them too.
    cache.update({"RIPEMD160": made["ripemd160"], "sha512-224": made["sha512_224"], "sha512-256": made["sha512_256"]})
    hashlib.algorithms_available |= made.keys()
    for function in (pbkdf2_hmac, scrypt):
        function.__module__ = "hashlib"
        setattr(hashlib, function.__name__, function)
    hashlib.__all__ += ("pbkdf2_hmac", "scrypt")
