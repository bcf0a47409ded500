/* Module `_wasmbox_kdf`: derivation of keys from passwords, which CPython leaves to OpenSSL. Hundreds of thousands of
 * rounds are usual: each is two calls of HACL*'s compression function. And that function itself, for hashes that begin
 * otherwise than those which CPython has of it.
 *
 * PBKDF2: RFC 8018, 5.2, with HMAC (RFC 2104). scrypt: RFC 7914. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "internal/Hacl_Hash_MD5.h"
#include "internal/Hacl_Hash_SHA1.h"
#include "internal/Hacl_Hash_SHA2.h"
#include "program.h"

#define MOST_BLOCK 128
#define MOST_DIGEST 64
/* Rounds between two looks for a stop. */
#define ROUNDS_PER_LOOK 500

typedef union {
    uint32_t words[8];
    uint64_t longs[8];
} State;

typedef struct {
    const char *name;
    size_t block, digest;
    int big_endian, wide;
    void (*init)(State *);
    void (*update)(State *, uint8_t *blocks, uint32_t bytes);
} Hash;

static void md5_init(State *s) { Hacl_Hash_MD5_init(s->words); }
static void md5_update(State *s, uint8_t *b, uint32_t n) { Hacl_Hash_MD5_update_multi(s->words, b, n / 64); }
static void sha1_init(State *s) { Hacl_Hash_SHA1_init(s->words); }
static void sha1_update(State *s, uint8_t *b, uint32_t n) { Hacl_Hash_SHA1_update_multi(s->words, b, n / 64); }
static void sha224_init(State *s) { Hacl_Hash_SHA2_sha224_init(s->words); }
static void sha256_init(State *s) { Hacl_Hash_SHA2_sha256_init(s->words); }
static void sha256_update(State *s, uint8_t *b, uint32_t n) { Hacl_Hash_SHA2_sha256_update_nblocks(n, b, s->words); }
static void sha384_init(State *s) { Hacl_Hash_SHA2_sha384_init(s->longs); }
static void sha512_init(State *s) { Hacl_Hash_SHA2_sha512_init(s->longs); }
static void sha512_update(State *s, uint8_t *b, uint32_t n) { Hacl_Hash_SHA2_sha512_update_nblocks(n, b, s->longs); }

static const Hash hashes[] = {
    {"md5", 64, 16, 0, 0, md5_init, md5_update},
    {"sha1", 64, 20, 1, 0, sha1_init, sha1_update},
    {"sha224", 64, 28, 1, 0, sha224_init, sha256_update},
    {"sha256", 64, 32, 1, 0, sha256_init, sha256_update},
    {"sha384", 128, 48, 1, 1, sha384_init, sha512_update},
    {"sha512", 128, 64, 1, 1, sha512_init, sha512_update},
};

static void put(uint8_t *to, uint64_t value, size_t bytes, int big_endian)
{
    for (size_t i = 0; i < bytes; i++)
        to[big_endian ? bytes - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

/* Ends a hash: `state` has seen `before` bytes, a multiple of the block; `rest` are those after them. */
static void finish(const Hash *hash, State *state, size_t before, const uint8_t *rest, size_t length, uint8_t *digest)
{
    uint8_t last[2 * MOST_BLOCK] = {0};
    size_t counter = hash->wide ? 16 : 8;

    while (length >= hash->block) {
        hash->update(state, (uint8_t *)rest, hash->block);
        rest += hash->block;
        length -= hash->block;
        before += hash->block;
    }
    if (length > 0)
        memcpy(last, rest, length);
    last[length] = 0x80;
    size_t bytes = length + 1 + counter <= hash->block ? hash->block : 2 * hash->block;
    put(last + bytes - 8, 8 * (uint64_t)(before + length), 8, hash->big_endian);
    hash->update(state, last, bytes);
    size_t word = hash->wide ? 8 : 4;
    uint8_t whole[MOST_DIGEST];
    for (size_t i = 0; i < 8 && i * word < hash->digest; i++)
        put(whole + i * word, hash->wide ? state->longs[i] : state->words[i], word, hash->big_endian);
    memcpy(digest, whole, hash->digest);
}

/* The two states of an HMAC after its key. */
typedef struct {
    const Hash *hash;
    State inner, outer;
} Mac;

static void mac_init(Mac *mac, const Hash *hash, const uint8_t *key, size_t length)
{
    uint8_t block[MOST_BLOCK] = {0};
    State state;

    mac->hash = hash;
    if (length > hash->block) {
        hash->init(&state);
        finish(hash, &state, 0, key, length, block);
    } else if (length > 0)
        memcpy(block, key, length);
    for (size_t i = 0; i < hash->block; i++)
        block[i] ^= 0x36;
    hash->init(&mac->inner);
    hash->update(&mac->inner, block, hash->block);
    for (size_t i = 0; i < hash->block; i++)
        block[i] ^= 0x36 ^ 0x5c;
    hash->init(&mac->outer);
    hash->update(&mac->outer, block, hash->block);
}

static void mac_of(const Mac *mac, const uint8_t *text, size_t length, uint8_t *digest)
{
    const Hash *hash = mac->hash;
    State state = mac->inner;

    finish(hash, &state, hash->block, text, length, digest);
    state = mac->outer;
    finish(hash, &state, hash->block, digest, hash->digest, digest);
}

/* -1 with an exception set: it shall give up, or there is no memory. */
static int derive(const Hash *hash, const uint8_t *password, size_t password_length, const uint8_t *salt,
                  size_t salt_length, uint64_t rounds, uint8_t *key, size_t length)
{
    Mac mac;
    uint8_t digest[MOST_DIGEST], sum[MOST_DIGEST];
    uint8_t *seed = malloc(salt_length + 4);

    if (seed == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (salt_length > 0)
        memcpy(seed, salt, salt_length);
    mac_init(&mac, hash, password, password_length);
    for (uint32_t number = 1; length > 0; number++) {
        put(seed + salt_length, number, 4, 1);
        mac_of(&mac, seed, salt_length + 4, digest);
        memcpy(sum, digest, hash->digest);
        for (uint64_t round = 1; round < rounds; round++) {
            mac_of(&mac, digest, hash->digest, digest);
            for (size_t i = 0; i < hash->digest; i++)
                sum[i] ^= digest[i];
            if (round % ROUNDS_PER_LOOK == 0 && sandbox_check_signals() < 0) {
                free(seed);
                return -1;
            }
        }
        size_t part = length < hash->digest ? length : hash->digest;
        memcpy(key, sum, part);
        key += part;
        length -= part;
    }
    free(seed);
    return 0;
}

static const Hash *find(const char *name)
{
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        if (strcmp(hashes[i].name, name) == 0)
            return &hashes[i];
    return NULL;
}

static PyObject *pbkdf2(PyObject *module, PyObject *args)
{
    const char *name;
    Py_buffer password, salt;
    unsigned long long rounds;
    Py_ssize_t length;

    if (!PyArg_ParseTuple(args, "sy*y*Kn:pbkdf2", &name, &password, &salt, &rounds, &length))
        return NULL;
    const Hash *hash = find(name);
    PyObject *key = NULL;
    if (hash == NULL)
        PyErr_Format(PyExc_LookupError, "%s", name);
    else
        key = PyBytes_FromStringAndSize(NULL, length);
    if (key != NULL && derive(hash, password.buf, password.len, salt.buf, salt.len, rounds,
                              (uint8_t *)PyBytes_AS_STRING(key), length) < 0)
        Py_CLEAR(key);
    PyBuffer_Release(&password);
    PyBuffer_Release(&salt);
    return key;
}

#define ROTATE(a, b) (((a) << (b)) | ((a) >> (32 - (b))))
#define QUARTER(a, b, c, d) \
    do { \
        x[b] ^= ROTATE(x[a] + x[d], 7); \
        x[c] ^= ROTATE(x[b] + x[a], 9); \
        x[d] ^= ROTATE(x[c] + x[b], 13); \
        x[a] ^= ROTATE(x[d] + x[c], 18); \
    } while (0)

static void salsa20_8(uint32_t b[16])
{
    uint32_t x[16];

    memcpy(x, b, sizeof x);
    for (int round = 0; round < 4; round++) {
        QUARTER(0, 4, 8, 12);
        QUARTER(5, 9, 13, 1);
        QUARTER(10, 14, 2, 6);
        QUARTER(15, 3, 7, 11);
        QUARTER(0, 1, 2, 3);
        QUARTER(5, 6, 7, 4);
        QUARTER(10, 11, 8, 9);
        QUARTER(15, 12, 13, 14);
    }
    for (int i = 0; i < 16; i++)
        b[i] += x[i];
}

/* scryptBlockMix: from `in` to `out`, 32 * r words each. */
static void mix(const uint32_t *in, uint32_t *out, size_t r)
{
    uint32_t x[16];

    memcpy(x, in + (2 * r - 1) * 16, sizeof x);
    for (size_t i = 0; i < 2 * r; i++) {
        for (int j = 0; j < 16; j++)
            x[j] ^= in[i * 16 + j];
        salsa20_8(x);
        memcpy(out + (i / 2 + (i & 1) * r) * 16, x, sizeof x);
    }
}

/* scryptROMix of one block; wasm's words are little-endian, as the RFC's are. */
static int ro_mix(uint32_t *block, size_t r, uint64_t n, uint32_t *table, uint32_t *scratch)
{
    size_t words = 32 * r;

    for (uint64_t i = 0; i < n; i++) {
        memcpy(table + i * words, block, words * 4);
        mix(block, scratch, r);
        memcpy(block, scratch, words * 4);
        if (i % ROUNDS_PER_LOOK == 0 && sandbox_check_signals() < 0)
            return -1;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t *chosen = table + (block[(2 * r - 1) * 16] & (n - 1)) * words;
        for (size_t j = 0; j < words; j++)
            block[j] ^= chosen[j];
        mix(block, scratch, r);
        memcpy(block, scratch, words * 4);
        if (i % ROUNDS_PER_LOOK == 0 && sandbox_check_signals() < 0)
            return -1;
    }
    return 0;
}

/* The caller has checked that n is a power of two and the sizes fit. */
static PyObject *scrypt(PyObject *module, PyObject *args)
{
    Py_buffer password, salt;
    unsigned long long n, r, p;
    Py_ssize_t length;
    PyObject *key = NULL;

    if (!PyArg_ParseTuple(args, "y*y*KKKn:scrypt", &password, &salt, &n, &r, &p, &length))
        return NULL;
    size_t bytes = 128 * r;
    uint8_t *blocks = malloc(p * bytes);
    uint32_t *table = malloc(n * bytes);
    uint32_t *scratch = malloc(bytes);
    const Hash *sha256 = &hashes[3];
    int failed = 0;
    if (blocks == NULL || table == NULL || scratch == NULL) {
        PyErr_NoMemory();
        failed = 1;
    }
    failed = failed || derive(sha256, password.buf, password.len, salt.buf, salt.len, 1, blocks, p * bytes) < 0;
    for (uint64_t i = 0; !failed && i < p; i++)
        failed = ro_mix((uint32_t *)(blocks + i * bytes), r, n, table, scratch) < 0;
    if (!failed)
        key = PyBytes_FromStringAndSize(NULL, length);
    if (key != NULL && derive(sha256, password.buf, password.len, blocks, p * bytes, 1,
                              (uint8_t *)PyBytes_AS_STRING(key), length) < 0)
        Py_CLEAR(key);
    free(blocks);
    free(table);
    free(scratch);
    PyBuffer_Release(&password);
    PyBuffer_Release(&salt);
    return key;
}

/* What a state of such a hash, as it lies in memory, becomes by more whole blocks. */
static PyObject *compress(PyObject *module, PyObject *args)
{
    const char *name;
    Py_buffer before, blocks;
    PyObject *after = NULL;
    State state;

    if (!PyArg_ParseTuple(args, "sy*y*:compress", &name, &before, &blocks))
        return NULL;
    const Hash *hash = find(name);
    if (hash == NULL || before.len != sizeof state || blocks.len % hash->block != 0) {
        PyErr_SetString(PyExc_ValueError, "compress(name, state, blocks) takes a known hash, a state, and whole blocks");
    } else {
        memcpy(&state, before.buf, sizeof state);
        hash->update(&state, blocks.buf, blocks.len);
        after = PyBytes_FromStringAndSize((char *)&state, sizeof state);
    }
    PyBuffer_Release(&before);
    PyBuffer_Release(&blocks);
    return after;
}

static PyMethodDef methods[] = {
    {"compress", compress, METH_VARARGS, "compress(name, state, blocks) -> state. ValueError: no such hash, or they do not fit."},
    {"pbkdf2", pbkdf2, METH_VARARGS, "pbkdf2(name, password, salt, rounds, length) -> bytes. LookupError: no such hash."},
    {"scrypt", scrypt, METH_VARARGS, "scrypt(password, salt, n, r, p, length) -> bytes"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_wasmbox_kdf", .m_size = -1,
                                        .m_methods = methods};

PyObject *kdf_create(void) { return PyModule_Create(&definition); }
