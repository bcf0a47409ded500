/** What `connect` and `listen` are given: `(port, host, …)`, `(path, …)` or `(options, …)`, and what is called then. */
export function placeOf(given) {
  const callback = given.findLast((each) => typeof each === "function");
  const [first, second] = given;
  if (first !== null && typeof first === "object") return { ...first, callback };
  if (typeof first === "string" && !/^\d+$/.test(first)) return { path: first, callback };
  return {
    port: typeof first === "function" ? undefined : first,
    host: typeof second === "string" ? second : undefined,
    callback,
  };
}
