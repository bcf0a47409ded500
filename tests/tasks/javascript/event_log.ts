// Events as a discriminated union, folded into a state by an async generator.
type Event =
  | { type: "opened"; id: number; title: string; at: Date }
  | { type: "commented"; id: number; text: string; at: Date }
  | { type: "closed"; id: number; at: Date };

interface Issue {
  id: number;
  title: string;
  comments: string[];
  open: boolean;
}

type State = Readonly<Record<number, Issue>>;

function assertNever(x: never): never {
  throw new Error(`unexpected ${JSON.stringify(x)}`);
}

function reduce(state: State, event: Event): State {
  const issue = state[event.id];
  switch (event.type) {
    case "opened":
      return { ...state, [event.id]: { id: event.id, title: event.title, comments: [], open: true } };
    case "commented":
      return { ...state, [event.id]: { ...issue!, comments: [...issue!.comments, event.text] } };
    case "closed":
      return { ...state, [event.id]: { ...issue!, open: false } };
    default:
      return assertNever(event);
  }
}

async function* events(): AsyncGenerator<Event, void, undefined> {
  const at = new Date("2026-03-01T10:00:00Z");
  const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
  yield { type: "opened", id: 1, title: "It is slow", at };
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
  yield { type: "opened", id: 2, title: "It is gone", at: later(5) };
  yield { type: "commented", id: 1, text: "how slow?", at: later(7) };
  yield { type: "closed", id: 2, at: later(90) };
}

let state: State = {};
const log: string[] = [];
for await (const event of events()) {
  state = reduce(state, event);
  log.push(`${event.at.toISOString().slice(11, 16)} ${event.type} #${event.id}`);
}
console.log(log.join("\n"));
console.log(Object.values(state));
const isOpen = (issue: Issue): issue is Issue & { open: true } => issue.open;
console.log(Object.values(state).filter(isOpen).map(({ title }) => title));
