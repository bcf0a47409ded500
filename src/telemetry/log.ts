/**
 * The server's log: to stderr alone, since stdout of a stdio server belongs to the protocol.
 *
 * Never logged: code, output, tokens, and what else a guest or a client has said. What is logged of them is escaped, so
 * that it can't look like a record of its own.
 */

import {
  configureSync,
  getLogger,
  type Logger,
  type LogRecord,
  sanitizeControlSequences,
} from "@logtape/logtape";

export const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;
export const LOG_FORMATS = ["text", "json"] as const;

export interface LogOptions {
  /** Records below it are dropped. */
  readonly level: typeof LOG_LEVELS[number];
  /** A line for people, or an object of JSON in each line. */
  readonly format: typeof LOG_FORMATS[number];
}

export const DEFAULT_LOG: LogOptions = { level: "info", format: "text" };

/** Writes one record. */
export type Formatter = (record: LogRecord) => string;

const FORMATTERS: Readonly<Record<LogOptions["format"], Formatter>> = { text, json };

const ROOT = "wasmbox";
const encoder = new TextEncoder();

/**
 * The logger of a part of the server.
 *
 * @param area Which part, in a word: "http", "config".
 */
export function logger(area: string): Logger {
  return getLogger([ROOT, area]);
}

/** Sets how all loggers of this process work, from now on. */
export function configureLog({ level, format }: LogOptions): void {
  const write = FORMATTERS[format];
  configureSync({
    reset: true,
    sinks: { stderr: (record) => print(`${write(record)}\n`) },
    loggers: [
      { category: ROOT, lowestLevel: level, sinks: ["stderr"] },
      { category: ["logtape", "meta"], lowestLevel: "error", sinks: ["stderr"] },
    ],
  });
}

/** Synchronously: the last words before an exit must arrive too. */
function print(line: string): void {
  try {
    const bytes = encoder.encode(line);
    for (let at = 0; at < bytes.length;) at += Deno.stderr.writeSync(bytes.subarray(at));
  } catch {
    // Nobody reads it; the server goes on.
  }
}

function text({ timestamp, level, category, message, rawMessage, properties }: LogRecord): string {
  const template = typeof rawMessage === "string" ? rawMessage : rawMessage.join("");
  const more = Object.entries(properties).filter(([key]) => !template.includes(`{${key}}`));
  const words = [
    new Date(timestamp).toISOString(),
    level.toUpperCase(),
    `${category.join(".")}:`,
    message.map(shown).join(""),
    ...more.map(([key, value]) => `${key}=${quoted(value)}`),
  ];
  return sanitizeControlSequences(words.join(" "), { newlines: "escape", sgr: "escape" });
}

function json({ timestamp, level, category, message, properties }: LogRecord): string {
  const more = Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, value instanceof Error ? shown(value) : value]),
  );
  return JSON.stringify({
    ...more,
    time: new Date(timestamp).toISOString(),
    level,
    logger: category.join("."),
    message: message.map(shown).join(""),
  });
}

/** A value that can't look like more than one. */
function quoted(value: unknown): string {
  const text = shown(value);
  return value instanceof Error || /^[^\s="]+$/.test(text) ? text : JSON.stringify(text);
}

function shown(value: unknown): string {
  if (value instanceof Error) return value.stack ?? `${value.name}: ${value.message}`;
  return typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
}

configureLog(DEFAULT_LOG);
