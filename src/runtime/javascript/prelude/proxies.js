/** Proxies whose targets are known to the prelude. */
export function installProxies(_host, hooks) {
  const { apply } = Reflect;
  /** What stands behind a proxy: the engine does not tell, and a proxy's traps are not called to show it. */
  const targets = new WeakMap();
  const NativeProxy = Proxy;
  const known = (proxy, target, handler) => {
    targets.set(proxy, [target, handler]);
    return proxy;
  };
  const revocable = NativeProxy.revocable;
  hooks.define(
    "Proxy",
    new NativeProxy(NativeProxy, {
      construct: (_, [target, handler]) => known(new NativeProxy(target, handler), target, handler),
    }),
  );
  NativeProxy.revocable = {
    revocable(target, handler) {
      const made = apply(revocable, NativeProxy, [target, handler]);
      known(made.proxy, target, handler);
      return made;
    },
  }.revocable;
  /** `[target, handler]` of a proxy; undefined for anything else. */
  hooks.behindProxy = (value) =>
    value !== null && (typeof value === "object" || typeof value === "function")
      ? targets.get(value)
      : undefined;
}
