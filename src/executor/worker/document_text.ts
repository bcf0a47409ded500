/** The text of a document in the session, by a program of our own in an interpreter of its own: nothing of the session's changes. */

import { BorrowedClock } from "../../control/guest_clock.ts";
import type { RuntimeHost, SynchronousRuntime } from "../../runtime/runtime.ts";
import { MAX_DOCUMENT_TEXT } from "../wire/bounds.ts";

/** Some ten seconds. */
const FUEL = 1_000_000_000;

/** The session's own modules are none of its. */
const program = (path: string) => `
import logging, sys
sys.path.remove("/app")
logging.disable(logging.CRITICAL)
from pypdf import PdfReader
reader = PdfReader(${JSON.stringify(path)})
if reader.is_encrypted:
    reader.decrypt("")
left, found = ${MAX_DOCUMENT_TEXT} - 1000, False
for number, page in enumerate(reader.pages, 1):
    text = page.extract_text().strip()
    found = found or text != ""
    text = f"[page {number} of {len(reader.pages)}]\\n{text}\\n"
    if len(text) > left:
        sys.stdout.write(text[:left] + "\\n[the rest is left out]\\n")
        break
    left -= len(text)
    sys.stdout.write(text)
if not found:
    sys.stdout.write("[no page has text: they may be pictures]\\n")
sys.stdout.flush()
`;

/**
 * @param make Makes an interpreter. @param path Absolute.
 * @returns undefined if it can't be read: it is damaged, or kept by a password, or takes too much.
 */
export function documentText(
  host: RuntimeHost,
  make: (host: RuntimeHost) => SynchronousRuntime,
  path: string,
): string | undefined {
  const decoder = new TextDecoder();
  let text = "";
  const runtime = make({
    ...host,
    clock: new BorrowedClock(host.clock),
    write: (stream, bytes) => {
      if (stream === "stdout" && text.length < MAX_DOCUMENT_TEXT) {
        text += decoder.decode(bytes, { stream: true });
      }
    },
  });
  try {
    const { status } = runtime.executeNow({
      code: program(path),
      filename: "<document>",
      resultMaxBytes: 100,
      fuelBudget: FUEL,
    });
    return status === "completed" ? text.slice(0, MAX_DOCUMENT_TEXT) : undefined;
  } finally {
    runtime.discard();
  }
}
