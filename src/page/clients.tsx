/** Configurations of clients, one at a time, ready to be copied. */

import { useState } from "preact/hooks";
import { clientConfigurations } from "./client_configurations.ts";

export interface ClientConfigurationsProps {
  readonly url: string;
  readonly needsToken: boolean;
}

export function ClientConfigurations({ url, needsToken }: ClientConfigurationsProps) {
  const all = clientConfigurations(url, needsToken);
  const [chosen, setChosen] = useState(0);
  const [copied, setCopied] = useState(false);
  const { place, text } = all[chosen]!;
  const copy = async () => {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <>
      <label for="client" class="inline">Client</label>
      <select id="client" value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
        {all.map(({ title }, i) => <option key={title} value={i}>{title}</option>)}
      </select>
      <p class="hint">{place}</p>
      <div class="snippet">
        <pre tabIndex={0} aria-label="Configuration">{text}</pre>
        <button type="button" onClick={() => void copy()}>{copied ? "Copied" : "Copy"}</button>
      </div>
      <p class="hint">
        A server of its own, without HTTP: <code>wasmbox install --client cursor</code>{" "}
        writes wasmbox into a client’s configuration.
      </p>
    </>
  );
}

/** The clipboard is for secure origins; a server in one's own network seldom is one. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
