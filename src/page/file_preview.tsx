/** What is in a file, as far as it can be shown: pictures as pictures, all else as the text that it is. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Connection } from "./connection.ts";
import { bytes, messageOf } from "./format.ts";
import type { FileEntry } from "./replies.ts";

const MAX_TEXT_BYTES = 64 * 1024;
const MAX_PICTURE_BYTES = 16 * 1024 * 1024;
/** As pictures none of these has scripts. */
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;

export interface PreviewProps {
  readonly connection: Connection;
  readonly session: string;
  readonly entry: FileEntry;
  readonly onClose: () => void;
}

type Content =
  | { readonly kind: "picture"; readonly url: string }
  | { readonly kind: "text"; readonly text: string; readonly whole: boolean }
  | { readonly kind: "none"; readonly why: string };

export function Preview({ connection, session, entry, onClose }: PreviewProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [content, setContent] = useState<Content>();
  useEffect(() => {
    dialog.current?.showModal();
    let shown: Content | undefined;
    read(connection, session, entry)
      .catch((error): Content => ({ kind: "none", why: messageOf(error) }))
      .then((content) => setContent(shown = content));
    return () => {
      if (shown?.kind === "picture") URL.revokeObjectURL(shown.url);
    };
  }, [entry.path]);
  return (
    <dialog ref={dialog} class="preview" aria-labelledby="preview-title" onClose={onClose}>
      <div class="title">
        <h2 id="preview-title">{entry.path}</h2>
        <span class="hint">{bytes(entry.size)}</span>
        <button type="button" onClick={() => dialog.current?.close()}>Close</button>
      </div>
      {content === undefined && <p class="hint">Reading …</p>}
      {content?.kind === "picture" && <img class="picture" src={content.url} alt={entry.path} />}
      {content?.kind === "text" && (
        <>
          <pre tabIndex={0} aria-label="Contents">{content.text}</pre>
          {!content.whole && <p class="hint">Only the beginning is shown.</p>}
        </>
      )}
      {content?.kind === "none" && <p class="empty">{content.why}</p>}
    </dialog>
  );
}

async function read(connection: Connection, session: string, entry: FileEntry): Promise<Content> {
  const { path, size, mime_type: type } = entry;
  if (size === 0) return { kind: "none", why: "The file is empty." };
  if (PICTURES.test(type ?? "") && size <= MAX_PICTURE_BYTES) {
    const blob = await connection.download(session, path);
    return { kind: "picture", url: URL.createObjectURL(new Blob([blob], { type: type! })) };
  }
  const beginning = new Uint8Array(
    await (await connection.download(session, path, MAX_TEXT_BYTES)).arrayBuffer(),
  );
  if (beginning.includes(0)) return { kind: "none", why: "This is no text. It can be downloaded." };
  return { kind: "text", text: new TextDecoder().decode(beginning), whole: size <= MAX_TEXT_BYTES };
}
