/** A picture of any size and contents, as Python makes it. */
export const PNG = `
import zlib, struct
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(width=1, height=1, rows=b"\\0\\0", more=b"", bits=8):
    head = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    return b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + more + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
`;
