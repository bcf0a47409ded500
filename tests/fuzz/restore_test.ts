/** Images that were tampered with: a session goes on from them, and says without what. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeEntries, entryKey, type ImageEntry, Section } from "../../src/executor/wire/entry.ts";
import { type HeapLanguage, loadAssets, Session, StoredImage } from "../unit/image/session.ts";
import { runs } from "./runs.ts";

/** A program in a damaged heap may do anything; it may not do it for ever. */
const FUEL = 20_000_000;

const assets = loadAssets();

async function captured(): Promise<readonly ImageEntry[]> {
  const session = new Session(assets);
  const stored = new StoredImage();
  await session.python(
    "import os\nos.makedirs('/app/d/e')\nf = open('/app/d/log', 'w'); f.write('x' * 70000); f.flush()\n" +
      "os.link('/app/d/log', '/app/hard'); os.symlink('d/log', '/app/soft')\ng = open('/app/gone', 'w'); os.unlink('/app/gone')",
  );
  await session.javascript(
    "let m = new Map([['a', [1, 2]]]); import('fs').then((fs) => fs.writeFileSync('/app/js', 'y'))",
  );
  session.capture(stored);
  return stored.list().map((entry) => ({ ...entry, bytes: entry.bytes!.slice() }));
}

const entries = await captured();
const PAGES: readonly number[] = [Section.pythonPage, Section.javascriptPage];
/** Most entries are pages of heaps, of which nothing is checked but their place. */
const others = entries.map((entry, index) => ({ entry, index })).filter(({ entry }) =>
  !PAGES.includes(entry.section)
);
const which = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...others.map(({ index }) => index)) },
  { weight: 2, arbitrary: fc.nat(entries.length - 1) },
);

const number = fc.oneof(
  fc.nat(20),
  fc.constantFrom(2 ** 31, 2 ** 32 - 1, 2 ** 53 - 1, 4096),
  fc.maxSafeNat(),
);
const position = fc.nat(70_000);
const piece = fc.constantFrom(
  '"',
  "{",
  "}",
  ",",
  "/",
  "null",
  "..",
  "\\u0000",
  "-",
  "e9",
  "directory",
  "symlink",
);

/** What is done to the entry at an index, as plain data, so that a failure shows it. */
const damage = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("flip" as const), index: which, at: position, bit: fc.nat(7) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("number" as const), index: which, at: position, value: number }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("insert" as const), index: which, at: position, piece }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("drop" as const), index: which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("duplicate" as const), index: which }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("swap" as const), index: which, other: which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("key" as const),
      index: which,
      part: fc.constantFrom("section", "a", "b"),
      value: number,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("resize" as const), index: which, size: position }) },
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

/** What the parts of a key can be once an entry was decoded. */
const KEY_VALUES = {
  section: (value: number) => 1 + value % 255,
  a: (value: number) => value,
  b: (value: number) => value % 2 ** 32,
};

function apply(list: ImageEntry[], damage: Damage): void {
  const index = damage.index % list.length;
  const entry = list[index]!;
  switch (damage.kind) {
    case "flip":
      if (entry.bytes!.length > 0) entry.bytes![damage.at % entry.bytes!.length]! ^= 1 << damage.bit;
      break;
    case "number": // most of the state is JSON
      edit(list, index, (text) => {
        const found = [...text.matchAll(/-?\d+/g)];
        const match = found[damage.at % Math.max(1, found.length)];
        if (!match) return text;
        return text.slice(0, match.index) + damage.value + text.slice(match.index + match[0].length);
      });
      break;
    case "insert":
      edit(list, index, (text) => {
        const at = damage.at % (text.length + 1);
        return text.slice(0, at) + damage.piece + text.slice(at);
      });
      break;
    case "drop":
      list.splice(index, 1);
      break;
    case "duplicate":
      list.push({ ...entry });
      break;
    case "swap": {
      const other = damage.other % list.length;
      list[index] = { ...entry, bytes: list[other]!.bytes };
      list[other] = { ...list[other]!, bytes: entry.bytes };
      break;
    }
    case "key":
      list[index] = {
        ...entry,
        [damage.part]: KEY_VALUES[damage.part as keyof typeof KEY_VALUES](damage.value),
      };
      break;
    case "resize": {
      const bytes = new Uint8Array(damage.size);
      bytes.set(entry.bytes!.subarray(0, damage.size));
      list[index] = { ...entry, bytes };
    }
  }
}

/** Changes an entry that is a text. */
function edit(list: ImageEntry[], index: number, change: (text: string) => string): void {
  const entry = list[index]!;
  if (PAGES.includes(entry.section) || entry.section === Section.chunk) return;
  const text = new TextDecoder().decode(entry.bytes!);
  list[index] = { ...entry, bytes: new TextEncoder().encode(change(text)) };
}

const PROGRAMS: Record<HeapLanguage, string> = {
  python: "import os\nf.write('y'); f.flush()\nsorted(os.listdir('/app/d'))",
  javascript: "m.get('a').length + require('fs').readFileSync('/app/js', 'utf8')",
};

async function runBriefly(session: Session, language: HeapLanguage): Promise<string> {
  const execution = 1;
  session.cell.enter(execution);
  const request = { code: PROGRAMS[language], filename: "<t>", resultMaxBytes: 1000, fuelBudget: FUEL };
  const outcome = await session.runtimes[language].execute(request);
  session.cell.leave();
  return outcome.status;
}

Deno.test("the image that is tampered with is whole", async () => {
  const session = new Session(assets);
  session.image.restore(entries);
  assert.equal(await session.python("f.write('y'); f.flush(); open('/app/soft').read(3)"), "'xxx'");
  assert.equal(await runBriefly(session, "javascript"), "completed");
});

Deno.test("a session goes on from a damaged image without what is spoiled, and its next image is whole", async () => {
  let spoiled = 0;
  let whole = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (damages) => {
      const list = entries.map((entry) => ({ ...entry, bytes: entry.bytes!.slice() }));
      for (const damage of damages) apply(list, damage);
      const session = new Session(assets);
      const losses = session.image.restore(list);
      if (losses.length > 0) spoiled++;
      else whole++;
      for (const language of ["python", "javascript"] as const) await runBriefly(session, language);
      assert.ok(session.fs.usage.bytes <= session.fs.quota.maxBytes);
      const stored = new StoredImage();
      for (const entry of list) stored.entries.set(entryKey(entry), entry);
      const capture = session.image.capture();
      assert.equal(capture.kind, "captured");
      if (capture.kind === "captured") {
        for (const batch of encodeEntries(capture.entries, 60_000)) stored.apply(batch);
      }
      session.image.rollback();
      assert.deepEqual(new Session(assets).image.restore(stored.list()), []);
    }),
    runs(40),
  );
  assert.ok(spoiled > 0 && whole > 0, `${spoiled} spoiled, ${whole} whole`);
});
