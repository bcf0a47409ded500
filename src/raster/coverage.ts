/** Which characters fonts have: what none of them has is drawn as a box, which whoever asked for the picture should know. */

/** A font's table of characters: OpenType, "cmap", formats 4 and 12. */
const PLATFORM_WINDOWS = 3;
const PLATFORM_UNICODE = 0;

/** Ranges of code points, first and last. */
type Ranges = readonly (readonly [first: number, last: number])[];

const MAX_TOLD = 12;

/**
 * Characters of an SVG's texts that no font has, each once.
 *
 * @param svg UTF-8. @param fonts TrueType or OpenType; views of shared memory will do.
 * @returns The first few of them.
 */
export function missingCharacters(svg: Uint8Array, fonts: readonly Uint8Array[]): string {
  if (svg.every((byte) => byte < 0x80 && byte !== AMPERSAND)) return "";
  const known = fonts.map(rangesOf);
  const missing = new Set<string>();
  for (const character of textOf(new TextDecoder().decode(svg.slice()))) {
    if (character <= "\u{ff}" || missing.has(character) || /[\p{M}\p{Cc}\p{Cf}\p{Z}]/u.test(character)) {
      continue;
    }
    const code = character.codePointAt(0)!;
    if (!known.some((ranges) => has(ranges, code))) missing.add(character);
    if (missing.size === MAX_TOLD) break;
  }
  return [...missing].join("");
}

const AMPERSAND = 0x26;

/** What is between the tags. */
function textOf(svg: string): string {
  const texts = svg.split("<").map((piece) => piece.slice(piece.indexOf(">") + 1)).join("");
  return texts.replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));/gi, (whole, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function has(ranges: Ranges, code: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]![1] < code) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low]![0] <= code;
}

/** Read once: fonts are the same for all pictures. */
const read = new WeakMap<Uint8Array, Ranges>();

function rangesOf(font: Uint8Array): Ranges {
  const known = read.get(font);
  if (known) return known;
  const ranges = readRanges(new DataView(font.buffer, font.byteOffset, font.byteLength));
  read.set(font, ranges);
  return ranges;
}

function readRanges(font: DataView): Ranges {
  const cmap = tableAt(font, "cmap");
  const count = font.getUint16(cmap + 2);
  let basic: number | undefined;
  for (let i = 0; i < count; i++) {
    const record = cmap + 4 + 8 * i;
    if (![PLATFORM_WINDOWS, PLATFORM_UNICODE].includes(font.getUint16(record))) continue;
    const at = cmap + font.getUint32(record + 4);
    if (font.getUint16(at) === 12) return groupsAt(font, at);
    if (font.getUint16(at) === 4) basic = at;
  }
  return basic === undefined ? [] : segmentsAt(font, basic);
}

function tableAt(font: DataView, tag: string): number {
  const tables = font.getUint16(4);
  for (let i = 0; i < tables; i++) {
    const record = 12 + 16 * i;
    const name = [0, 1, 2, 3].map((at) => String.fromCharCode(font.getUint8(record + at))).join("");
    if (name === tag) return font.getUint32(record + 8);
  }
  throw new Error(`the font has no table ${tag}`);
}

function groupsAt(font: DataView, at: number): Ranges {
  return Array.from({ length: font.getUint32(at + 12) }, (_, i) => {
    const group = at + 16 + 12 * i;
    return [font.getUint32(group), font.getUint32(group + 4)] as const;
  });
}

function segmentsAt(font: DataView, at: number): Ranges {
  const count = font.getUint16(at + 6) / 2;
  return Array.from({ length: count }, (_, i) => {
    const last = font.getUint16(at + 14 + 2 * i);
    const first = font.getUint16(at + 16 + 2 * count + 2 * i);
    return [first, last] as const;
  });
}
