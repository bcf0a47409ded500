/** Addresses as command lines name them. */

// Gone when guests' code arrives.
const PlatformUrl = globalThis.URL;

/** A URL, of which the scheme may be left out; undefined for what is none. */
export function urlOf(text: string): URL | undefined {
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  return PlatformUrl.parse(whole) ?? undefined;
}

/** Where a header leads that was sent from there. */
export function urlFrom(base: URL, location: string): URL | undefined {
  return PlatformUrl.parse(location, base.href) ?? undefined;
}

/** Whether it is this session's own. */
export function isLocal({ hostname }: URL): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/i.test(hostname);
}
