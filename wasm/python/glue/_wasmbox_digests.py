"""Hashes that hashlib has from OpenSSL elsewhere: RIPEMD-160, and SHA-512 with other beginnings (FIPS 180-4, 5.3.6)."""

from struct import iter_unpack, pack, unpack

from _wasmbox_kdf import compress

MASK_32 = 2**32 - 1


class Digest:
    """One that takes blocks. Of a class: `start`, the state that it begins with; `compress(state, blocks)`, what comes after
    it; `order`, of bytes in numbers; `length_size`, of the length at the end."""

    def __init__(self, data=b"", **options):
        self._state, self._rest, self._length = self.start, b"", 0
        self.update(data)

    def update(self, data, /):
        if isinstance(data, str):
            raise TypeError("Strings must be encoded before hashing")
        data = memoryview(data).cast("B").tobytes() if not isinstance(data, bytes) else data
        self._length += len(data)
        data = self._rest + data
        whole = len(data) - len(data) % self.block_size
        self._state = self.compress(self._state, data[:whole])
        self._rest = data[whole:]

    def digest(self):
        padding = b"\x80" + bytes(-(self._length + 1 + self.length_size) % self.block_size)
        last = self._rest + padding + (8 * self._length).to_bytes(self.length_size, self.order)
        state = self.compress(self._state, last)
        return b"".join(each.to_bytes(self.word_size, self.order) for each in state)[:self.digest_size]

    def hexdigest(self):
        return self.digest().hex()

    def copy(self):
        made = type(self)()
        vars(made).update(vars(self))
        return made

    def __repr__(self):
        return f"<{self.name} object @ {id(self):#x}>"


LEFT_PLACES = [
    range(16),
    [7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8],
    [3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12],
    [1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2],
    [4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13],
]
RIGHT_PLACES = [
    [5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12],
    [6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2],
    [15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13],
    [8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14],
    [12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11],
]
LEFT_TURNS = [
    [11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8],
    [7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12],
    [11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5],
    [11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12],
    [9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6],
]
RIGHT_TURNS = [
    [8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6],
    [9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11],
    [9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5],
    [15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8],
    [8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11],
]
LEFT_CONSTANTS = 0, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E
RIGHT_CONSTANTS = 0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0
MIXES = [
    lambda x, y, z: x ^ y ^ z,
    lambda x, y, z: x & y | ~x & z,
    lambda x, y, z: (x | ~y) ^ z,
    lambda x, y, z: x & z | y & ~z,
    lambda x, y, z: x ^ (y | ~z),
]


def turned(value, bits):
    value &= MASK_32
    return value << bits & MASK_32 | value >> 32 - bits


def line(state, words, mixes, all_places, all_turns, constants):
    a, b, c, d, e = state
    for mix, places, turns, constant in zip(mixes, all_places, all_turns, constants):
        for place, bits in zip(places, turns):
            mixed = turned(a + mix(b, c, d) + words[place] + constant, bits) + e & MASK_32
            a, b, c, d, e = e, mixed, b, turned(c, 10), d
    return a, b, c, d, e


class Ripemd160(Digest):
    name, digest_size, block_size = "ripemd160", 20, 64
    order, word_size, length_size = "little", 4, 8
    start = 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0

    @staticmethod
    def compress(state, blocks):
        for words in iter_unpack("<16I", blocks):
            left = line(state, words, MIXES, LEFT_PLACES, LEFT_TURNS, LEFT_CONSTANTS)
            right = line(state, words, MIXES[::-1], RIGHT_PLACES, RIGHT_TURNS, RIGHT_CONSTANTS)
            state = tuple(state[(n + 1) % 5] + left[(n + 2) % 5] + right[(n + 3) % 5] & MASK_32 for n in range(5))
        return state


class Sha512(Digest):
    block_size = 128
    order, word_size, length_size = "big", 8, 16

    @staticmethod
    def compress(state, blocks):
        return unpack("<8Q", compress("sha512", pack("<8Q", *state), blocks))


class Sha512_256(Sha512):
    name, digest_size = "sha512_256", 32
    start = (
        0x22312194FC2BF72C, 0x9F555FA3C84C64C2, 0x2393B86B6F53B151, 0x963877195940EABD,
        0x96283EE2A88EFFE3, 0xBE5E1E2553863992, 0x2B0199FC2C85B8AA, 0x0EB72DDC81C52CA2,
    )


class Sha512_224(Sha512):
    name, digest_size = "sha512_224", 28
    start = (
        0x8C3D37C819544DA2, 0x73E1996689DCD4D6, 0x1DFAB7AE32FF9C82, 0x679DD514582F9FCF,
        0x0F6D2B697BD44DA8, 0x77E36F7304C48942, 0x3F9D85A86A1D36C8, 0x1112E6AD91D692A1,
    )


DIGESTS = {kind.name: kind for kind in (Ripemd160, Sha512_256, Sha512_224)}
