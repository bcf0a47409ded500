import assert from "node:assert/strict";
import fc from "fast-check";
import { LineReader } from "../../src/transport/line_reader.ts";
import { DEFAULT_STDIO } from "../../src/config/mcp_schema.ts";
import { StdioTransport } from "../../src/transport/stdio.ts";
import { runs } from "./runs.ts";

const encoder = new TextEncoder();
const NEWLINE = 0x0a;

const cuts = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });

function* chunks(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    yield bytes.slice(at, at + size);
    at += size;
  }
}

Deno.test("lines are the same however the bytes are cut, and only long ones are refused", () => {
  const bytes = fc.array(fc.oneof(fc.constant(NEWLINE), fc.nat(255)), { maxLength: 200 }).map((list) =>
    Uint8Array.from(list)
  );
  fc.assert(
    fc.property(bytes, cuts, fc.integer({ min: 0, max: 20 }), (bytes, cuts, maxBytes) => {
      const reader = new LineReader(maxBytes);
      const lines = [...chunks(bytes, cuts)].flatMap((chunk) => [...reader.push(chunk)]);
      const expected: (number[] | "too long")[] = [];
      let line: number[] = [];
      for (const byte of bytes) {
        if (byte !== NEWLINE) line.push(byte);
        else {
          expected.push(line.length > maxBytes ? "too long" : line);
          line = [];
        }
      }
      assert.deepEqual(lines.map((line) => line === "too long" ? line : [...line]), expected);
    }),
    runs(1000),
  );
});

/** A line, and the id of the one answer that it must get; undefined: none. */
interface Sent {
  readonly bytes: Uint8Array;
  readonly answer: unknown;
  readonly isRequest: boolean;
}

const id = fc.oneof(fc.nat(1_000_000), fc.string({ maxLength: 5 }));
const json = (value: unknown, answer: unknown, isRequest = false): Sent => ({
  bytes: encoder.encode(JSON.stringify(value)),
  answer,
  isRequest,
});
const sent: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(id, fc.string({ maxLength: 9 })).map(([id, method]) =>
      json({ jsonrpc: "2.0", id, method }, id, true)
    ),
  },
  {
    weight: 2,
    arbitrary: fc.string({ maxLength: 9 }).map((method) => json({ jsonrpc: "2.0", method }, undefined)),
  },
  { weight: 1, arbitrary: fc.array(fc.jsonValue(), { maxLength: 3 }).map((list) => json(list, null)) },
  {
    weight: 2,
    arbitrary: fc.tuple(id, fc.jsonValue()).map(([id, value]) => json({ jsonrpc: "1.0", id, value }, id)),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.string(), fc.boolean(), fc.constant(null), fc.double()).map((value) =>
      json(value, null)
    ),
  },
  {
    weight: 3,
    arbitrary: fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) =>
      bytes.filter((byte) => byte !== NEWLINE)
    )
      // A first byte that neither begins JSON nor is white space.
      .map((rest) => ({ bytes: Uint8Array.from([0x40, ...rest]), answer: null, isRequest: false })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "  ", "\t\r").map((text) => ({
      bytes: encoder.encode(text),
      answer: undefined,
      isRequest: false,
    })),
  },
);

Deno.test("every line that asks for an answer gets exactly one, whatever comes between", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { maxLength: 15 }),
      cuts,
      fc.uint8Array({ maxLength: 20 }),
      async (lines, cuts, tail) => {
        const input = Uint8Array.from([
          ...lines.flatMap(({ bytes }) => [...bytes, NEWLINE]),
          ...tail.filter((byte) => byte !== NEWLINE),
        ]);
        let written = "";
        const decoder = new TextDecoder();
        const transport = new StdioTransport(DEFAULT_STDIO.maxMessageBytes, {
          input: ReadableStream.from(chunks(input, cuts)),
          output: new WritableStream({
            write: (chunk) => void (written += decoder.decode(chunk, { stream: true })),
          }),
        });
        const answers: Promise<void>[] = [];
        transport.onmessage = (message) => {
          if (!("method" in message) || !("id" in message)) return;
          answers.push(transport.send({ jsonrpc: "2.0", id: message.id!, result: {} }));
        };
        await transport.start();
        await transport.ended;
        await Promise.all(answers);
        const got = written.split("\n").filter(Boolean).map((line) => JSON.parse(line));
        const expected = lines.filter(({ answer }) => answer !== undefined);
        const ids = (list: readonly unknown[]) => list.map((id) => JSON.stringify(id)).sort();
        assert.deepEqual(ids(got.map(({ id }) => id)), ids(expected.map(({ answer }) => answer)));
        const results = got.filter((answer) => "result" in answer);
        assert.deepEqual(
          ids(results.map(({ id }) => id)),
          ids(lines.filter(({ isRequest }) => isRequest).map(({ answer }) => answer)),
        );
        for (const answer of got) {
          assert.equal(answer.jsonrpc, "2.0");
          if ("error" in answer) {
            assert.ok(
              [-32700, -32600].includes(answer.error.code) && answer.error.message.length > 5,
            );
          }
        }
      },
    ),
    runs(300),
  );
});
