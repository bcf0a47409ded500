/** What `inspect` shows in collections, buffers and promises before their properties. */
export function installInspectEntries(host, hooks) {
  const { getOwnPropertyDescriptor, getPrototypeOf, keys: ownKeys } = Object;
  const { apply } = Reflect;
  const mapSize = getOwnPropertyDescriptor(Map.prototype, "size").get;
  const setSize = getOwnPropertyDescriptor(Set.prototype, "size").get;
  const { coloured, spend } = hooks.inspectPrimitives;

  function more(output, count, what = "item") {
    if (count > 0) output.push(`... ${count} more ${what}${count > 1 ? "s" : ""}`);
  }

  function nextIndex(array, from) {
    for (const key of ownKeys(array)) if (+key >= from) return +key;
    return array.length;
  }

  const nextOf = new Map([Map, Set].map((Class) => {
    const prototype = getPrototypeOf(new Class().values());
    return [prototype, prototype.next];
  }));
  /** What iterators would have given that were shown: they give it from here. */
  const shownOf = new WeakMap();
  /** What is left of an iterator of a Map or Set. Nothing but its `next` tells, and can't be asked twice. */
  function iteratorOf(iterator) {
    const next = nextOf.get(getPrototypeOf(iterator));
    if (!next) return undefined;
    const known = shownOf.get(iterator);
    if (known) return known;
    if (Object.hasOwn(iterator, "next")) return undefined;
    const left = [];
    for (let each = apply(next, iterator, []); !each.done; each = apply(next, iterator, [])) {
      left.push(each.value);
    }
    shownOf.set(iterator, left);
    Object.defineProperty(iterator, "next", {
      value: () => left.length > 0 ? { value: left.shift(), done: false } : { value: undefined, done: true },
      writable: true,
      configurable: true,
      enumerable: false,
    });
    return left;
  }

  /**
   * Functions that add what is in a value to the output.
   *
   * @param format Shows a value. @param formatElement Shows what an array has at an index.
   */
  hooks.inspectEntries = (format, formatElement) => {
    function formatArray(context, value, level, output) {
      const typed = !Array.isArray(value);
      let shown = 0;
      let index = 0;
      for (; index < value.length && shown < context.maxArrayLength && context.left > 0; shown++) {
        if (typed || Object.hasOwn(value, index)) {
          output.push(formatElement(context, value, level, index++));
          continue;
        }
        const from = index;
        // Holes are counted without visiting each of, say, four thousand million.
        while (index < value.length && index - from < 10_000 && !Object.hasOwn(value, index)) index++;
        if (index - from === 10_000) index = nextIndex(value, index);
        const holes = `<${index - from} empty item${index - from > 1 ? "s" : ""}>`;
        output.push(coloured(context, spend(context, holes), "undefined"));
      }
      more(output, value.length - index);
    }

    function formatMap(context, map, level, output) {
      const size = apply(mapSize, map, []);
      context.indentation += 2;
      let shown = 0;
      for (const [key, value] of map) {
        if (shown++ === context.maxArrayLength || context.left <= 0) {
          more(output, size - shown + 1);
          break;
        }
        output.push(`${format(context, key, level + 1)} => ${format(context, value, level + 1)}`);
      }
      context.indentation -= 2;
    }

    function formatSet(context, set, level, output) {
      const size = apply(setSize, set, []);
      context.indentation += 2;
      let shown = 0;
      for (const value of set) {
        if (shown++ === context.maxArrayLength || context.left <= 0) {
          more(output, size - shown + 1);
          break;
        }
        output.push(format(context, value, level + 1));
      }
      context.indentation -= 2;
    }

    function formatIterator(context, iterator, level, output) {
      const left = iteratorOf(iterator);
      context.indentation += 2;
      for (const value of left.slice(0, context.maxArrayLength)) {
        if (context.left <= 0) break;
        output.push(format(context, value, level + 1));
      }
      context.indentation -= 2;
      more(output, left.length - output.length);
    }

    function formatArrayBuffer(context, buffer, _level, output) {
      const length = buffer.byteLength;
      if (buffer.detached) {
        output.push(spend(context, "(detached)"), `byteLength: ${length}`);
        return;
      }
      const most = Math.min(50, Math.max(0, context.maxArrayLength));
      const bytes = new Uint8Array(buffer, 0, Math.min(most, length));
      let text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
      if (length > most) text += ` ... ${length - most} more byte${length - most > 1 ? "s" : ""}`;
      output.push(spend(context, `[Uint8Contents]: <${text}>`), `byteLength: ${length}`);
    }

    function formatDataView(context, view, level, output) {
      output.push(`byteLength: ${view.byteLength}`, `byteOffset: ${view.byteOffset}`);
      context.indentation += 2;
      output.push(`buffer: ${format(context, view.buffer, level + 1)}`);
      context.indentation -= 2;
    }

    function formatPromise(context, promise, level, output) {
      const state = host.promiseState(promise);
      if (state === "pending") output.push(coloured(context, spend(context, "<pending>"), "special"));
      else {
        context.indentation += 2;
        const text = format(context, host.promiseValue(promise), level + 1);
        output.push(state === "rejected" ? `${coloured(context, "<rejected>", "special")} ${text}` : text);
        context.indentation -= 2;
      }
    }

    return {
      formatArray,
      formatMap,
      formatSet,
      formatIterator,
      formatArrayBuffer,
      formatDataView,
      formatPromise,
    };
  };
  hooks.iteratorOf = iteratorOf;
}
