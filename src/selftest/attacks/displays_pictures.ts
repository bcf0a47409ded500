/** Pictures that cost much to draw, or that look at what is elsewhere. */

import { calls, type Execution, type Stage, type Unfiled } from "../attack.ts";
import { series, told } from "../series.ts";
import { PNG } from "./png.ts";

const XMLNS = 'xmlns="http://www.w3.org/2000/svg"';
const svg = (inside: string, size = 'width="300" height="40"') => `<svg ${XMLNS} ${size}>${inside}</svg>`;
const large = (inside: string) => svg(inside, 'width="1400" height="1400"');
const display = (data: string) => `display(${JSON.stringify(data)})`;
/** Pictures by what they try, as programs that show them. */
const showing = (pictures: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(pictures).map(([what, data]) => [what, display(data)]));

/** Enough for a usual chart. */
const LITTLE_FUEL = { fuel_budget: 10_000_000 };
/** For programs that make a picture that is large. */
const SOME_FUEL = { fuel_budget: 80_000_000 };

/** It is a picture, or it is saved and it is said why: in any case the program is none the worse. */
function shownOrSaved({ status, state, displays, images }: Execution): boolean {
  const [one, ...more] = displays;
  return status === "completed" && state === "kept" && one !== undefined && more.length === 0 &&
    (one.path === null ? one.image === 0 && images.length === 1 : one.note !== null && images.length === 0);
}

/** The same picture is drawn, whether what it refers to is on the host or not. */
async function looksElsewhere({ run, canaries }: Stage) {
  const { hostPicture, port } = canaries;
  const through: string[] = [];
  const references: Readonly<Record<string, (place: string) => string>> = {
    image: (place) => svg(`<image href="${place}" width="300" height="40"/>`),
    "image by xlink": (place) =>
      svg(`<image xmlns:x="http://www.w3.org/1999/xlink" x:href="file://${place}" width="300" height="40"/>`),
    use: (place) => svg(`<use href="${place}#a"/><rect fill="url(${place}#a)" width="9" height="9"/>`),
    filter: (place) =>
      svg(`<filter id="f"><feImage href="${place}"/></filter><rect filter="url(#f)" width="9" height="9"/>`),
    style: (place) =>
      svg(
        `<style>@import url("${place}"); @font-face { font-family: f; src: url("${place}") } text { font-family: f }</style><text y="20">a</text>`,
      ),
    entity: (place) =>
      `<!DOCTYPE svg [<!ENTITY e SYSTEM "file://${place}">]>${svg('<text y="20">&e;</text>')}`,
    "entity in entity": (place) =>
      `<!DOCTYPE svg SYSTEM "${place}" [<!ENTITY % e SYSTEM "${place}"> %e;]>${svg('<text y="20">a</text>')}`,
    include: (place) =>
      svg(`<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="${place}" parse="text"/>`),
    "another document": (place) =>
      `<?xml-stylesheet href="${place}"?>${svg(`<foreignObject><iframe src="${place}"/></foreignObject>`)}`,
    script: (place) =>
      svg(
        `<script href="${place}"/><script>while (true) fetch("${place}")</script><rect width="9" height="9" onload="while (true);"/>`,
      ),
  };
  for (const [what, reference] of Object.entries(references)) {
    const pictures: string[] = [];
    for (const place of [hostPicture, `${hostPicture}.absent`, `http://127.0.0.1:${port}/x.svg`]) {
      const reply = await run("python", display(reference(place)), { args: LITTLE_FUEL });
      if (!shownOrSaved(reply)) through.push(`${what} (${told(reply)})`);
      pictures.push(reply.images[0]?.data ?? "");
    }
    if (new Set(pictures).size !== 1) through.push(`${what}: the pictures differ`);
  }
  const tried = Object.keys(references).length;
  return { refused: through.length === 0, got: `${tried} tried, through: ${through.join(", ") || "none"}` };
}

export const PICTURES: readonly Unfiled[] = [
  series(
    "python",
    "pictures that are bombs",
    "each is drawn, or saved and said why",
    {
      "a picture in the picture": `${PNG}
import base64
inner = base64.b64encode(png(16000, 8000, bytes(16_008_000), bits=1)).decode()
display(f'''${svg('<image href="data:image/png;base64,{inner}" width="9" height="9"/>')}''')`,
      "a picture in the picture that lies": `${PNG}
import base64
inner = base64.b64encode(png(2**31 - 1, 2**31 - 1)).decode()
display(f'''${svg('<image href="data:image/png;base64,{inner}" width="9" height="9"/>')}''')`,
      "compressed SVG": `import gzip
display(gzip.compress(b'''${svg("INSIDE")}'''.replace(b"INSIDE", b" " * 10**7)), mime_type="image/svg+xml")`,
      "a picture of itself": `import base64
picture = '''${svg("INSIDE")}'''
for _ in range(5): picture = '''${
        svg("INSIDE")
      }'''.replace("INSIDE", f'<image href="data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}" width="9" height="9"/>' * 4)
display(picture)`,
      "all the nodes there is room for": `display('''${
        svg("INSIDE")
      }'''.replace("INSIDE", "<g/>" * 180_000))`,
      "a hundred thousand levels": `display('''${
        svg("INSIDE")
      }'''.replace("INSIDE", "<g>" * 100_000 + "</g>" * 100_000))`,
      "a path of all the points there is room for": `display('''${
        large("INSIDE")
      }'''.replace("INSIDE", "<path d='M0 0" + "l9 9-9 9" * 90_000 + "'/>"))`,
    },
    shownOrSaved,
    { args: SOME_FUEL },
  ),
  series(
    "python",
    "pictures that take for ever",
    "each is drawn, or saved and said why",
    showing({
      "a billion entities": `<!DOCTYPE svg [<!ENTITY e0 "aaaaaaaaaa">${
        Array.from({ length: 12 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join("")
      }]>${svg('<text y="20">&e12;</text>')}`,
      "a billion copies": svg(
        `<g id="a0"><rect width="1" height="1"/></g>${
          Array.from({ length: 12 }, (_, n) => `<g id="a${n + 1}">${`<use href="#a${n}"/>`.repeat(10)}</g>`)
            .join("")
        }`,
      ),
      "references in circles": svg(
        `<g id="a"><use href="#a"/></g><pattern id="p" width="1" height="1"><rect width="9" height="9" fill="url(#p)"/></pattern>` +
          `<rect width="20" height="9" fill="url(#p)"/><mask id="m" mask="url(#m)"><rect width="9" height="9"/></mask>` +
          `<rect mask="url(#m)" width="9" height="9"/><clipPath id="c" clip-path="url(#c)"><use href="#a"/></clipPath>` +
          `<rect clip-path="url(#c)" width="9" height="9"/><filter id="f"><feImage href="#z"/></filter><g id="z" filter="url(#f)"/>` +
          `<linearGradient id="l" href="#l"/><marker id="k"><path marker-end="url(#k)" d="M0 0h9"/></marker><path marker-end="url(#k)" fill="url(#l)" d="M0 0h9"/>`,
      ),
      "turbulence of a billion octaves": large(
        `<filter id="f"><feTurbulence numOctaves="1000000000" baseFrequency="9"/></filter><rect filter="url(#f)" width="1400" height="1400"/>`,
      ),
      "a hundred blurs of everything": large(
        `<filter id="f" x="-1e9" y="-1e9" width="1e10" height="1e10">${
          '<feGaussianBlur stdDeviation="1e6"/>'.repeat(100)
        }</filter><rect filter="url(#f)" width="1400" height="1400"/>`,
      ),
      "a dilation of everything": large(
        `<filter id="f"><feMorphology operator="dilate" radius="700"/></filter><rect filter="url(#f)" width="1400" height="1400"/>`,
      ),
      "a matrix of ten thousand": large(
        `<filter id="f"><feConvolveMatrix order="99" kernelMatrix="${
          "1 ".repeat(9801)
        }"/></filter><rect filter="url(#f)" width="1400" height="1400"/>`,
      ),
      "letters of a million pixels": large(
        `<text font-size="1e6" stroke="red" stroke-width="1e6">${"W".repeat(5000)}</text>`,
      ),
      "dashes of no length": large(`<path stroke="red" stroke-dasharray="1e-4" d="M0 0 L1e6 1e6"/>`),
      "a thousand layers": large(
        `${'<g opacity=".5">'.repeat(1000)}<rect width="9" height="9"/>${"</g>".repeat(1000)}`,
      ),
      "selectors of great length": svg(
        `<style>${"*>".repeat(20_000)}* ${"a ".repeat(20_000)}{fill:red}</style>${"<g>".repeat(300)}<rect/>${
          "</g>".repeat(300)
        }`,
      ),
      "numbers beyond all bounds": svg(
        `<rect x="1e38" y="-1e38" width="1e308" height="NaN"/><circle r="1e400"/><g transform="scale(1e30) rotate(1e300) skewX(90)"><rect width="9" height="9"/></g>`,
        'width="1e30" height="1e30" viewBox="0 0 1e-30 1e30"',
      ),
    }),
    shownOrSaved,
    { args: LITTLE_FUEL },
  ),
  series(
    "javascript",
    "pictures of no size, or of any",
    "each is drawn, or saved and said why",
    showing(Object.fromEntries(
      [
        'width="0" height="0"',
        'width="-1" height="9"',
        'width="1e9" height="1"',
        'width="1" height="1e9"',
        'width="1e30" height="1e30"',
        'width="NaN" height="x"',
        'viewBox="0 0 0 0"',
        'viewBox="a b c d"',
        'width="100%" height="1e9em"',
        'viewBox="-1e38 -1e38 2e38 2e38"',
      ]
        .map((size) => [size, svg("<rect width='9' height='9'/>", size)]),
    )),
    shownOrSaved,
    { args: LITTLE_FUEL },
  ),
  calls(
    "a picture that outlasts its program's time",
    "is saved, and the next run goes on at once",
    async ({ run }) => {
      await run("python", "kept = 1");
      const picture = large(
        `<filter id="f"><feTurbulence numOctaves="1000000000" baseFrequency="9"/></filter><rect filter="url(#f)" width="1400" height="1400"/>`,
      );
      const reply = await run("python", display(picture), { timeout: 1 });
      const { result } = await run("python", "kept");
      const saved = reply.displays.every(({ path }) => path !== null) && reply.images.length === 0;
      return { refused: saved && result === "1", got: `${told(reply)}, then ${result}` };
    },
  ),
  calls(
    "pictures that refer to the host's files and network",
    "the same is drawn without them",
    looksElsewhere,
  ),
];
