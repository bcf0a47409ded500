/** Sizes that both ends of a host call keep to. */

/** Most bytes of files that go with one operation or answer; a multiple of the file system's chunks. */
export const PIECE_BYTES = 256 * 1024;
