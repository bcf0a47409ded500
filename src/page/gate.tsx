/** Where the server wants to know who is there. */

import { useState } from "preact/hooks";

export interface GateProps {
  /** Why the last token was of no use. */
  readonly message: string;
  readonly onToken: (token: string) => Promise<void>;
}

export function Gate({ message, onToken }: GateProps) {
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    await onToken(token.trim());
    setBusy(false);
  };
  return (
    <main class="gate">
      <h1>wasmbox</h1>
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Access token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          required
          value={token}
          aria-describedby="token-help"
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p id="token-help" class="hint">
          The one that your MCP client sends. This tab keeps it until it is closed, and sends it to this
          server alone.
        </p>
        {message !== "" && <p role="alert" class="error">{message}</p>}
        <button type="submit" class="primary" disabled={busy || token.trim() === ""}>Sign in</button>
      </form>
    </main>
  );
}
