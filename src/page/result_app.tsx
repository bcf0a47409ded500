/** The result of a run, inside of an MCP client: what its reply has, and the files it left. */

import "../jitless.ts";
import { App } from "@modelcontextprotocol/ext-apps";
import { render } from "preact";
import { useState } from "preact/hooks";
import { HtmlView } from "./display.tsx";
import { bytes, duration, messageOf } from "./format.ts";
import type { ExecutionReply, Picture } from "./replies.ts";
import { Outcome } from "./runs.tsx";

type Content = readonly ({ readonly type: string; readonly text?: string } & Partial<Picture>)[];

const app = new App({ name: "wasmbox-result", version: "1.0.0" }, {}, { autoResize: true });
const root = document.getElementById("app")!;

app.ontoolresult = ({ content, structuredContent }) => {
  root.replaceChildren();
  render(<Result content={content as Content} reply={structuredContent as ResultProps["reply"]} />, root);
};
app.ontoolcancelled = () => {
  root.replaceChildren();
  render(<p class="hint">The call was cancelled.</p>, root);
};
app.onhostcontextchanged = ({ theme }) => applyTheme(theme);
await app.connect();
applyTheme(app.getHostContext()?.theme);

function applyTheme(theme: string | undefined): void {
  if (theme === "dark" || theme === "light") document.documentElement.style.colorScheme = theme;
}

interface ResultProps {
  readonly content: Content;
  readonly reply: Record<string, unknown> | undefined;
}

function Result({ content, reply }: ResultProps) {
  // What failed before it ran, or is of another shape, is said by the text.
  if (!reply || !("execution_id" in reply)) {
    return <pre tabIndex={0}>{content.map(({ text = "" }) => text).join("\n")}</pre>;
  }
  const execution = reply as unknown as ExecutionReply;
  const pictures = content.filter(({ type }) => type === "image") as readonly Picture[];
  return (
    <HtmlView.Provider value={StillHtml}>
      <div class="run">
        <div class="run-head">
          <span class={`badge ${execution.status}`}>{execution.status.replaceAll("_", " ")}</span>
          <span class="hint">{duration(execution.execution_time_ms)}</span>
        </div>
        <Outcome reply={execution} pictures={pictures} />
      </div>
      <Artifacts artifacts={execution.artifacts ?? []} />
    </HtmlView.Provider>
  );
}

/** In a frame without scripts and of nobody's origin, under the policy that the client gave this view. */
function StillHtml({ html }: { readonly html: string }) {
  return <iframe class="still" sandbox="" srcdoc={html} title="What the program showed" />;
}

function Artifacts({ artifacts }: { readonly artifacts: NonNullable<ExecutionReply["artifacts"]> }) {
  const [failure, setFailure] = useState<string>();
  const canSave = app.getHostCapabilities()?.downloadFile !== undefined;
  const save = async (uri: string, mimeType: string) => {
    setFailure(undefined);
    try {
      const name = nameOf(uri);
      await app.downloadFile({ contents: [{ type: "resource_link", uri, name, mimeType }] });
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <>
      <ul class="files">
        {artifacts.map(({ uri, mime_type, size }) => (
          <li key={uri}>
            {canSave
              ? (
                <button type="button" class="link" onClick={() => void save(uri, mime_type)}>
                  {nameOf(uri)}
                </button>
              )
              : <span class="link">{nameOf(uri)}</span>}
            <span class="hint">{bytes(size)}</span>
          </li>
        ))}
      </ul>
      {failure !== undefined && <p role="alert" class="error">{failure}</p>}
    </>
  );
}

function nameOf(uri: string): string {
  const encoded = uri.slice(uri.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
