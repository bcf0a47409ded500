/**
 * `WeakRef` as the language has it: what one was made of, or has given, lives at least until the current job has ended.
 * The engine counts references, and frees at once what has none.
 */

const kept = new Set();
const { deref } = WeakRef.prototype;

/** Called between jobs. */
export function releaseKept() {
  if (kept.size > 0) kept.clear();
}

const KeepingWeakRef = new Proxy(WeakRef, {
  construct(Native, args, newTarget) {
    const made = Reflect.construct(Native, args, newTarget);
    kept.add(args[0]);
    return made;
  },
});
Object.defineProperties(WeakRef.prototype, {
  constructor: { value: KeepingWeakRef, writable: true, configurable: true, enumerable: false },
  deref: {
    value: {
      deref() {
        const target = deref.call(this);
        if (target !== undefined) kept.add(target);
        return target;
      },
    }.deref,
    writable: true,
    configurable: true,
    enumerable: false,
  },
});

export { KeepingWeakRef as WeakRef };
