/** edit_file, and what read_file shows of files that are no text. */

import assert from "node:assert/strict";
import { TestServer, UNDER_TEST } from "../support/harness.ts";

function test(name: string, fn: (server: TestServer) => Promise<void>): void {
  Deno.test(`[${UNDER_TEST}] ${name}`, async () => {
    await using server = await TestServer.start();
    await fn(server);
  });
}

const edit = (old_text: string, new_text: string, replace_all = false) => ({
  old_text,
  new_text,
  replace_all,
});

test("several places are replaced at once, with a diff, or none", async (server) => {
  const text = "def twice(x):\n    return x + x\n\nprint(twice(2))\n";
  await server.call("write_file", { path: "a.py", content: text });
  const done = await server.call("edit_file", {
    path: "a.py",
    edits: [edit("x + x", "2 * x"), edit("twice", "double", true)],
  });
  assert.equal(done.isError, false, done.text);
  assert.equal(
    done.text,
    "a.py: 3 places replaced.\n@@ -1,4 +1,4 @@\n-def twice(x):\n-    return x + x\n+def double(x):\n+    return 2 * x\n \n-print(twice(2))\n+print(double(2))",
  );
  const { structured } = await server.call("read_file", { path: "a.py" });
  assert.equal(structured["content"], "def double(x):\n    return 2 * x\n\nprint(double(2))\n");
  const refused = await server.call("edit_file", {
    path: "a.py",
    edits: [edit("2 * x", "x"), edit("thrice", "")],
  });
  assert.equal(refused.isError, true);
  assert.match(refused.text, /^edits\[1\]\.old_text is not in the file\. Nothing was changed\./);
  assert.equal(
    (await server.call("read_file", { path: "a.py" })).structured["content"],
    structured["content"],
  );
});

test("one edit may stand without a list around it, in other systems' words, of which the schema says nothing", async (server) => {
  await server.call("write_file", { path: "a.txt", content: "one\n" });
  const done = await server.call("edit_file", { path: "a.txt", old_str: "one", new_str: "two" });
  assert.equal(done.text, "a.txt: one place replaced.\n@@ -1,1 +1,1 @@\n-one\n+two");
  const { tools } = await server.client.listTools();
  const { properties } = tools.find(({ name }) => name === "edit_file")!.inputSchema;
  assert.deepEqual(Object.keys(properties ?? {}), ["path", "edits", "session_id"]);
});

test("a file that is not there, is no text, or is too large is refused", async (server) => {
  await server.python("open('b.bin', 'wb').write(b'\\xff\\x00'); open('c.txt', 'w').write('x' * 3_000_000)");
  const codeOf = async (path: string) => {
    const { structured } = await server.call("edit_file", { path, edits: [edit("x", "y")] });
    return (structured["error"] as { error_code: string }).error_code;
  };
  assert.deepEqual(
    [await codeOf("none.txt"), await codeOf("b.bin"), await codeOf("c.txt"), await codeOf("/etc/passwd")],
    ["FILE_NOT_FOUND", "NOT_TEXT", "FILE_TOO_LARGE", "FILE_NOT_FOUND"],
  );
});

test("write_file makes the session that it is given a new name for", async (server) => {
  const { structured } = await server.call("write_file", {
    path: "a.txt",
    content: "a",
    session_id: "fresh",
  });
  assert.deepEqual([structured["session_id"], structured["session_created"]], ["fresh", true]);
  assert.equal((await server.python("open('a.txt').read()", { session_id: "fresh" })).result, "'a'");
});

test("a picture is shown, one that models can't take is not, and other files name what reads them", async (server) => {
  await server.python(`
from PIL import Image
Image.new("RGB", (30, 20), "red").save("small.png")
Image.new("RGB", (30, 20), "red").save("photo.jpeg")
Image.new("1", (9000, 2)).save("wide.png")
open("paper.pdf", "wb").write(b"%PDF-1.7 \\xff\\xfe")
open("fake.png", "wb").write(b"\\x89PNG\\r\\n\\x1a\\n\\xff")
`);
  for (const [path, mimeType] of [["small.png", "image/png"], ["photo.jpeg", "image/jpeg"]]) {
    const { content, structuredContent } = await server.client.callTool({
      name: "read_file",
      arguments: { path },
    });
    const [text, image] = content as [{ text: string }, { type: string; data: string; mimeType: string }];
    assert.equal(text.text, `[${mimeType} of 30 × 20 pixels]`);
    assert.deepEqual([image.type, image.mimeType], ["image", mimeType]);
    const { encoding, content: none, size } = structuredContent as Record<string, unknown>;
    assert.deepEqual([encoding, none, atob(image.data).length], ["image", undefined, size]);
  }
  for (const [path, hint] of [["wide.png", "thumbnail"], ["paper.pdf", "pypdf"], ["fake.png", "PIL"]]) {
    const { isError, text } = await server.call("read_file", { path });
    assert.ok(isError && text.includes(`"${path}" is not text in UTF-8.`) && text.includes(hint!), text);
  }
});

test("a PDF is read as its text, in parts and by lines, and what has none says so", async (server) => {
  // What pypdf itself can write has no text: two pages with it, by hand.
  await server.python(`
def pdf(*pages):
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for n, text in enumerate(pages):
        stream = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R /Resources << /Font << /F1 3 0 R >> >> >>")
        objects.append(f"<< /Length {len(stream)} >>\\nstream\\n{stream}\\nendstream")
    data, places = b"%PDF-1.4\\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\\n{body}\\nendobj\\n".encode()
    start = len(data)
    data += f"xref\\n0 {len(objects) + 1}\\n0000000000 65535 f \\n".encode()
    data += b"".join(f"{place:010} 00000 n \\n".encode() for place in places)
    return data + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\\nstartxref\\n{start}\\n%%EOF\\n".encode()
open("two.pdf", "wb").write(pdf("Hello from page one", "The second page"))
open("scan.pdf", "wb").write(pdf(""))
x = "kept"`);
  const { text, structured } = await server.call("read_file", { path: "two.pdf" });
  assert.equal(text, "[page 1 of 2]\nHello from page one\n[page 2 of 2]\nThe second page\n");
  assert.ok(Number(structured["size"]) > 700, "the size is the file's");
  const line = await server.call("read_file", { path: "two.pdf", start_line: 4, end_line: 4 });
  assert.match(line.text, /^The second page\n/);
  const begun = await server.call("read_file", { path: "two.pdf", max_bytes: 20 });
  assert.equal(begun.structured["content"], "[page 1 of 2]\n");
  const scan = await server.call("read_file", { path: "scan.pdf" });
  assert.match(scan.text, /no page has text/);
  const raw = await server.call("read_file", { path: "two.pdf", encoding: "base64" });
  assert.match(atob(String(raw.structured["content"])), /^%PDF-1\.4/);
  const { result, execution_id: _ } = await server.python("import sys; x, 'pypdf' in sys.modules") as {
    result: string | null;
    execution_id?: string;
  };
  assert.equal(result, "('kept', False)");
});
