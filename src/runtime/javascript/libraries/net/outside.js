/**
 * Connections with the session's other processes: those that a script of the shell runs beside this one. The far end of
 * each is a socket here as if it were this program's own, whose bytes go to the host and come from there.
 */
import { asker } from "../host_asker.js";
import { platform } from "../runtime.js";

/** How often is looked whether anything has come, ms. */
const LOOK = 3;
/** What is taken at a time, and what may wait to be read. */
const PIECE = 256 * 1024;

/** Servers by the numbers of their sockets: what is called with each connection. */
const listening = new Map();
const connected = new Map();
/** Of a connection that nobody knows any more. */
const LOST = { taken: "gone", state: "end" };
let timer;

const ask = asker("net");

/** A port that no other process has; undefined where there are none. */
export const freePort = () => ask("port")?.port;

/** @param connect Gets the number of each connection. @returns "taken"; or what ends it; undefined if nobody could connect. */
export function listen(port, connect) {
  const answer = ask("listen", { port });
  if (!answer?.served) return undefined;
  if (answer.id === null) return "taken";
  listening.set(answer.id, connect);
  look();
  return () => {
    if (listening.delete(answer.id)) ask("close", { id: answer.id });
    look();
  };
}

/** @returns The number of the connection; undefined if nobody listens there. */
export const connect = (port) => ask("connect", { port })?.id ?? undefined;

/** Lets a socket be the far end of a connection. */
export function attach(id, far) {
  const end = { far, hasEnded: false, waiting: [] };
  connected.set(id, end);
  far.on("data", (bytes) => {
    end.waiting.push(bytes);
    pumpOne(id, end);
  });
  far.on("end", () => {
    end.hasEnded = true;
    pumpOne(id, end);
  });
  far.on("close", () => {
    end.hasEnded = end.isClosed = true;
    pumpOne(id, end);
  });
  far.on("error", () => {});
  look();
}

/** While there is something to look for it is looked for, which keeps the program going. */
function look() {
  const isNeeded = listening.size > 0 || connected.size > 0;
  if (isNeeded && timer === undefined) timer = platform.setInterval(pump, LOOK);
  else if (!isNeeded && timer !== undefined) {
    platform.clearInterval(timer);
    timer = undefined;
  }
}

function pump() {
  for (const [id, connect] of [...listening]) {
    for (let accepted; (accepted = ask("accept", { id })?.id ?? undefined) !== undefined;) connect(accepted);
  }
  for (const [id, end] of [...connected]) pumpOne(id, end);
}

function pumpOne(id, end) {
  if (!connected.has(id)) return;
  const { far, waiting } = end;
  far[waiting.length > 8 ? "pause" : "resume"]();
  while (waiting.length > 0) {
    const { taken } = ask("write", { id }, waiting[0]) ?? LOST;
    if (taken === "gone") {
      waiting.length = 0;
      far.destroy();
      break;
    }
    if (taken === 0) break;
    if (taken < waiting[0].length) waiting[0] = waiting[0].subarray(taken);
    else waiting.shift();
  }
  if (end.hasEnded && !end.isTold && waiting.length === 0) {
    end.isTold = true;
    ask("end", { id });
  }
  while (!end.isOver && !far.destroyed && far.writableLength < PIECE) {
    const answer = ask("read", { id, most: PIECE }) ?? LOST;
    if (answer instanceof Uint8Array) far.write(answer);
    else if (answer.state === "end") {
      end.isOver = true;
      far.end();
    } else break;
  }
  if (end.isTold && (end.isOver || end.isClosed)) {
    connected.delete(id);
    ask("close", { id });
    look();
  }
}

/** A program has ended, or was stopped: the next one in this heap has none of its connections. */
export function closeAll() {
  listening.clear();
  connected.clear();
  timer = undefined;
}
