/** The page for people: it asks for a token where the server does, and shows what the address names. */

import "../jitless.ts";
import { render } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { Connection, Unauthorized } from "./connection.ts";
import { messageOf } from "./format.ts";
import { Gate } from "./gate.tsx";
import { Overview } from "./overview.tsx";
import { SessionPage } from "./session_page.tsx";

type Stage =
  | { readonly kind: "connecting" }
  | { readonly kind: "gate"; readonly message: string }
  | { readonly kind: "unreachable"; readonly message: string }
  | { readonly kind: "connected"; readonly connection: Connection };

function App() {
  const [stage, setStage] = useState<Stage>({ kind: "connecting" });
  const leave = (message: string) => {
    Connection.forgetToken();
    setStage({ kind: "gate", message });
  };
  const connect = useCallback(async (token?: string) => {
    try {
      const connection = await Connection.open(token);
      connection.onRefused = leave;
      setStage({ kind: "connected", connection });
    } catch (error) {
      if (error instanceof Unauthorized) setStage({ kind: "gate", message: error.message });
      else setStage({ kind: "unreachable", message: messageOf(error) });
    }
  }, []);
  useEffect(() => void connect(), []);

  switch (stage.kind) {
    case "connecting":
      return <p class="starting">Connecting …</p>;
    case "gate":
      return <Gate message={stage.message} onToken={connect} />;
    case "unreachable":
      return (
        <main class="gate">
          <h1>The server can’t be reached</h1>
          <p role="alert">{stage.message}</p>
          <button type="button" class="primary" onClick={() => void connect()}>Try again</button>
        </main>
      );
    case "connected":
      return <Connected connection={stage.connection} onLeave={() => leave("")} />;
  }
}

/** The name of the session that the address is about. */
function namedByAddress(): string | undefined {
  const encoded = /^#\/session\/(.+)$/.exec(location.hash)?.[1];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function Connected({ connection, onLeave }: { connection: Connection; onLeave: () => void }) {
  const [name, setName] = useState(namedByAddress);
  useEffect(() => {
    const changed = () => setName(namedByAddress());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  useEffect(() => {
    document.title = name === undefined ? "wasmbox" : `${name.slice(0, 100)} – wasmbox`;
  }, [name]);
  return (
    <>
      <header class="bar">
        <a class="brand" href="#/">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path class="cube" d="M8 1l6 3.5v7L8 15l-6-3.5v-7z" />
            <path class="edges" d="M8 8l6-3.5M8 8L2 4.5M8 8v7" />
          </svg>
          wasmbox
        </a>
        <span class="version">{connection.facts.version}</span>
        {connection.token !== null && <button type="button" class="quiet" onClick={onLeave}>Sign out</button>}
      </header>
      {name === undefined
        ? <Overview connection={connection} />
        : <SessionPage key={name} connection={connection} name={name} />}
    </>
  );
}

const root = document.getElementById("app")!;
root.replaceChildren();
render(<App />, root);
