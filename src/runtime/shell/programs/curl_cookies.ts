/** Cookies of `curl`: those of `-b`, and those that servers set where a file of them is named (`-b FILE`, `-c FILE`). */

import type { HttpAnswer } from "./http_exchange.ts";

const HEAD = "# Netscape HTTP Cookie File\n\n";
const HTTP_ONLY = "#HttpOnly_";
/** Cookies that are kept: others push none out. */
const COOKIES_MAX = 1000;

interface Cookie {
  readonly host: string;
  readonly path: string;
  /** Seconds since 1970; 0: for as long as this goes on. */
  readonly expires: number;
  readonly httpOnly: boolean;
  readonly name: string;
  readonly value: string;
}

export class CurlCookies {
  readonly #kept = new Map<string, Cookie>();
  /** Whether what servers set is kept. */
  #keeps = false;
  readonly #given: string[] = [];

  /** @param option The value of a `-b`. @param read What a file has; undefined if it is not there. */
  take(option: string, read: (name: string) => string | undefined): void {
    if (option.includes("=")) return void this.#given.push(option);
    this.keep();
    for (const line of read(option)?.split("\n") ?? []) {
      const httpOnly = line.startsWith(HTTP_ONLY);
      const fields = (httpOnly ? line.slice(HTTP_ONLY.length) : line).trimEnd().split("\t");
      const [host, , path, , expires, name, value = ""] = fields;
      if (host && path && name && !host.startsWith("#")) {
        this.#set({
          host: host.replace(/^\./, ""),
          path,
          expires: Number(expires) || 0,
          httpOnly,
          name,
          value,
        });
      }
    }
  }

  keep(): void {
    this.#keeps = true;
  }

  /** What an answer sets (RFC 6265, section 5.2). @param now Seconds since 1970. */
  receive(url: URL, { headers }: HttpAnswer, now: number): void {
    if (!this.#keeps) return;
    for (const [name, line] of headers) {
      if (name.toLowerCase() === "set-cookie") this.#receive(url, line, now);
    }
  }

  #receive(url: URL, line: string, now: number): void {
    const [pair = "", ...more] = line.split(";");
    const at = pair.indexOf("=");
    if (at < 1) return;
    const said = Object.fromEntries(more.map((each) => {
      const [name = "", ...value] = each.trim().split("=");
      return [name.toLowerCase(), value.join("=")];
    }));
    const directory = url.pathname.slice(0, url.pathname.lastIndexOf("/")) || "/";
    const age = said["max-age"];
    const due = age === undefined
      ? Math.floor(Date.parse(said["expires"] ?? "") / 1000) || 0
      : now + Number(age);
    const cookie = {
      host: url.hostname,
      path: said["path"]?.startsWith("/") ? said["path"] : directory,
      expires: due,
      httpOnly: "httponly" in said,
      name: pair.slice(0, at).trim(),
      value: pair.slice(at + 1).trim(),
    };
    if (due !== 0 && due <= now) this.#kept.delete(keyOf(cookie));
    else this.#set(cookie);
  }

  #set(cookie: Cookie): void {
    const key = keyOf(cookie);
    if (this.#kept.has(key) || this.#kept.size < COOKIES_MAX) this.#kept.set(key, cookie);
  }

  /** The header for a URL; undefined: none. */
  headerFor({ hostname, pathname }: URL): string | undefined {
    const own = [...this.#kept.values()].filter(({ host, path }) =>
      host === hostname && (pathname === path || pathname.startsWith(path.replace(/\/?$/, "/")))
    );
    const all = [...own.map(({ name, value }) => `${name}=${value}`), ...this.#given];
    return all.length > 0 ? all.join("; ") : undefined;
  }

  /** As a file. */
  toString(): string {
    return HEAD +
      [...this.#kept.values()].map(({ host, path, expires, httpOnly, name, value }) =>
        `${httpOnly ? HTTP_ONLY : ""}${host}\tFALSE\t${path}\tFALSE\t${expires}\t${name}\t${value}\n`
      ).join("");
  }
}

const keyOf = ({ host, path, name }: Cookie): string => JSON.stringify([host, path, name]);
