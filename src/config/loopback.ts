/** Whether only this machine can reach an address that a server listens on. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname);
}
