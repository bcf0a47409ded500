/** A session's files: what there is, and how they come and go. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Connection } from "./connection.ts";
import { Preview } from "./file_preview.tsx";
import { bytes, messageOf } from "./format.ts";
import type { FileEntry } from "./replies.ts";

export interface FilesProps {
  readonly connection: Connection;
  readonly session: string;
  /** Counts what may have changed them. */
  readonly changes: number;
}

export function Files({ connection, session, changes }: FilesProps) {
  const [directory, setDirectory] = useState(".");
  const [entries, setEntries] = useState<readonly FileEntry[]>();
  const [more, setMore] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [shown, setShown] = useState<FileEntry>();
  const chooser = useRef<HTMLInputElement>(null);

  const attempt = async (work: () => Promise<void>) => {
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const list = () =>
    attempt(async () => {
      const args = { session_id: session, path: directory };
      const reply = await connection.call<{ entries: FileEntry[]; truncated?: boolean }>("list_files", args);
      setEntries(reply.entries);
      setMore(reply.truncated === true);
    });
  useEffect(() => void list(), [directory, changes]);

  const upload = (files: readonly File[]) =>
    attempt(async () => {
      for (const file of files) {
        await connection.upload(session, directory === "." ? file.name : `${directory}/${file.name}`, file);
      }
      await list();
    });
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void upload([...event.dataTransfer?.files ?? []]);
  };
  const remove = (path: string) =>
    attempt(async () => {
      await connection.call("delete_file", { session_id: session, path });
      await list();
    });

  return (
    <section aria-labelledby="files-title" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <div class="title">
        <h2 id="files-title">Files</h2>
        <button type="button" onClick={() => chooser.current?.click()}>Upload</button>
        <input
          ref={chooser}
          type="file"
          multiple
          class="visually-hidden"
          tabIndex={-1}
          aria-label="Files to upload"
          onChange={(event) => {
            const { currentTarget } = event;
            void upload([...currentTarget.files ?? []]).then(() => currentTarget.value = "");
          }}
        />
        <button type="button" class="quiet" onClick={() => void list()}>Refresh</button>
      </div>
      {directory !== "." && (
        <p class="path">
          <button type="button" class="quiet" onClick={() => setDirectory(parentOf(directory))}>Up</button>
          <code>{directory}</code>
        </p>
      )}
      {failure !== undefined && <p role="alert" class="error">{failure}</p>}
      {entries?.length === 0 && (
        <p class="empty">There are none. Drop some here, or let a program write them.</p>
      )}
      <ul class="files">
        {entries?.map((entry) => (
          <FileRow
            key={entry.path}
            entry={entry}
            onOpen={() => entry.type === "directory" ? setDirectory(entry.path) : setShown(entry)}
            onDownload={() => void attempt(() => save(connection, session, entry.path))}
            onDelete={() => void remove(entry.path)}
          />
        ))}
      </ul>
      {more && <p class="hint">There are more than these.</p>}
      {shown && (
        <Preview
          connection={connection}
          session={session}
          entry={shown}
          onClose={() => setShown(undefined)}
        />
      )}
    </section>
  );
}

interface FileRowProps {
  readonly entry: FileEntry;
  readonly onOpen: () => void;
  readonly onDownload: () => void;
  readonly onDelete: () => void;
}

function FileRow({ entry: { path, type, size }, onOpen, onDownload, onDelete }: FileRowProps) {
  const [sure, setSure] = useState(false);
  const name = nameOf(path);
  return (
    <li>
      <button type="button" class="link" onClick={onOpen}>{type === "directory" ? `${name}/` : name}</button>
      <span class="hint">{type === "file" ? bytes(size) : type}</span>
      {type === "file" && (
        <button type="button" class="quiet" aria-label={`Download ${name}`} onClick={onDownload}>↓</button>
      )}
      {type === "file" && (
        <button
          type="button"
          class={sure ? "danger" : "quiet"}
          aria-label={`${sure ? "Really delete" : "Delete"} ${name}`}
          onBlur={() => setSure(false)}
          onClick={() => sure ? onDelete() : setSure(true)}
        >
          {sure ? "Really?" : "×"}
        </button>
      )}
    </li>
  );
}

/** Lets the browser keep a file. */
async function save(connection: Connection, session: string, path: string): Promise<void> {
  const url = URL.createObjectURL(await connection.download(session, path));
  const link = document.createElement("a");
  link.href = url;
  link.download = nameOf(path);
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser has begun to read it by then
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function parentOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
}
