/** What a program showed. It is in the guest's hands: its HTML is shown in a frame that can't reach this page. */

import { type ComponentType, createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { bytes } from "./format.ts";
import { markdownTable } from "./markdown_table.ts";
import type { Display, Picture } from "./replies.ts";

const MAX_FRAME_HEIGHT = 600;

/** What shows HTML; other places have other ways to keep it apart. */
export const HtmlView = createContext<ComponentType<{ readonly html: string }>>(FramedHtml);

export interface DisplayProps {
  readonly display: Display;
  readonly pictures: readonly Picture[];
}

export function DisplayView({ display, pictures }: DisplayProps) {
  const { mime_type: type, text, image, path, note, size } = display;
  const Html = useContext(HtmlView);
  const picture = image == null ? undefined : pictures[image];
  if (picture) {
    return <img class="picture" src={`data:${picture.mimeType};base64,${picture.data}`} alt="Picture" />;
  }
  if (text != null && type === "text/html") return <Html html={text} />;
  if (text != null) return <TextDisplay text={text} />;
  return (
    <p class="hint">
      {type} of {bytes(size)}
      {path == null ? "" : `, saved as ${path}`}
      {note == null ? "" : `: ${note}`}
    </p>
  );
}

function TextDisplay({ text }: { text: string }) {
  const table = markdownTable(text);
  if (!table) return <pre tabIndex={0} aria-label="Display">{text}</pre>;
  const { head, rows } = table;
  return (
    <div class="table" role="region" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{head.map((cell, i) => <th key={i} scope="col">{cell}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{cell}</td>)}</tr>)}
        </tbody>
      </table>
    </div>
  );
}

/** Its scripts don't run unless a person wants it: even without a network they could find ways to be heard. */
function FramedHtml({ html }: { readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [scripts, setScripts] = useState(false);
  const [height, setHeight] = useState(80);
  useEffect(() => {
    const receive = ({ source, data }: MessageEvent) => {
      const shown = frame.current?.contentWindow;
      if (!shown || source !== shown) return;
      if (data === "ready") shown.postMessage(html, "*"); // its origin is nobody's: it can't be named
      else if (typeof data === "number" && data > 0) setHeight(Math.min(Math.ceil(data), MAX_FRAME_HEIGHT));
    };
    addEventListener("message", receive);
    return () => removeEventListener("message", receive);
  }, [html]);
  return (
    <div class="display">
      <iframe
        key={String(scripts)}
        ref={frame}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
        title="What the program showed"
        src={`page/display.html${scripts ? "?scripts=1" : ""}`}
        style={{ height: `${height}px` }}
      />
      {!scripts && /<script|\son\w+\s*=/i.test(html) && (
        <button
          type="button"
          class="quiet"
          onClick={() => setScripts(true)}
        >
          Run its scripts
        </button>
      )}
    </div>
  );
}
