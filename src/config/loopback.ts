/** Whether a server that listens on an address can be reached from this machine only. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname);
}
