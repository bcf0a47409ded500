/**
 * What the calls do that `decorators.js` makes of decorators. There are two kinds of them: the language's, which get a
 * value and a context, and TypeScript's earlier ones, which get an object, a key and a descriptor. Nothing in a program
 * says which it has; each function does, by its parameters.
 */
const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object;
const METADATA = Symbol.metadata ?? Symbol.for("Symbol.metadata");
const SAMPLE = 5000;

const CONTEXT = /^(?:\{|_*(?:c|ctx|context)\b|_*\w*Context\b)/i;
const KEY = /^_*(?:[kp]|\w*(?:key|prop|property|name|member|method|field|attribute)\w*)$/i;
const USES = "(?:kind|name|static|private|access|metadata|addInitializer)\\b";

/** Whether a decorator is one of TypeScript's earlier ones. */
function isEarlier(decorate, kind) {
  if (decorate.length >= 3) return true;
  const text = Function.prototype.toString.call(decorate).slice(0, SAMPLE);
  const [, listed = ""] = /^(?:async\s*)?(?:function\b[^(]*)?\(([^)]*)\)/.exec(text) ?? [];
  const [first = "", second] = listed.split(",").map((each) => each.trim());
  if (second === undefined) return first.startsWith("...") && !/\bcontext\b/.test(text);
  if (CONTEXT.test(second)) return false;
  if (KEY.test(second.replace(/\s*=.*/, "")) || /\bReflect\.\w*metadata/i.test(text)) return true;
  const [name] = /^[\w$]+/.exec(second) ?? [];
  if (name === undefined) return false;
  if (new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}\\.${USES}`).test(text)) return false;
  return kind === "field";
}

function metadataOf(Class) {
  if (!Object.hasOwn(Class, METADATA)) {
    const value = Object.create(getPrototypeOf(Class)?.[METADATA] ?? null);
    defineProperty(Class, METADATA, { value, writable: true, configurable: true });
  }
  return Class[METADATA];
}

function checked(made, what) {
  if (made !== undefined && typeof made !== "function") {
    throw new TypeError(`${what} decorators must return a function or undefined`);
  }
  return made;
}

/** What earlier decorators of parameters are called with. */
function ofParameters(home, key, parameters) {
  for (const [index, decorate] of parameters.toReversed()) decorate(home, key, index);
}

const PARTS = { method: "value", getter: "get", setter: "set" };
const ACCESS = {
  method: (key) => ({ get: (object) => object[key] }),
  getter: (key) => ({ get: (object) => object[key] }),
  setter: (key) => ({ set: (object, value) => void (object[key] = value) }),
  field: (key) => ({ get: (object) => object[key], set: (object, value) => void (object[key] = value) }),
};

function ofMember(Class, state, name, kind, isStatic, decorators, parameters) {
  const key = typeof name === "symbol" ? name : `${name}`;
  const home = isStatic ? Class : Class.prototype;
  ofParameters(home, key, parameters);
  const initial = [];
  const extra = [];
  let isEarly = false;
  for (const decorate of decorators.toReversed()) {
    const slot = kind === "field" ? undefined : getOwnPropertyDescriptor(home, key);
    if (isEarlier(decorate, kind)) {
      isEarly = true;
      const made = decorate(home, key, slot) ?? slot;
      if (made) defineProperty(home, key, made);
      continue;
    }
    const context = {
      kind,
      name: key,
      static: isStatic,
      private: false,
      access: { has: (object) => key in object, ...ACCESS[kind](key) },
      metadata: metadataOf(Class),
      addInitializer: (call) => void extra.push(call),
    };
    const part = PARTS[kind];
    const made = checked(decorate(slot?.[part], context), kind === "field" ? "Field" : "Method");
    if (made === undefined) continue;
    if (kind === "field") initial.unshift(made);
    else defineProperty(home, key, { ...slot, [part]: made });
  }
  if (kind === "field") {
    (state.fields ??= new Map()).set(`${isStatic}${String(key)}`, { isEarly, initial, extra });
  } else if (isStatic) { for (const call of extra) call.call(Class); }
  else (state.starts ??= []).push(...extra);
}

/** An object of the class begins: what decorators of its methods have to do with it. */
function begin(object, { starts = [] }) {
  for (const call of starts) call.call(object);
}

function hasAccessor(object, key) {
  for (let at = object; at; at = getPrototypeOf(at)) {
    const slot = getOwnPropertyDescriptor(at, key);
    if (slot) return Boolean(slot.get || slot.set);
  }
  return false;
}

/** A field of an object, or of a class, with the value that it is given. */
function field(object, { fields }, name, valueOf) {
  const key = typeof name === "symbol" ? name : `${name}`;
  const isStatic = fields.has(`true${String(key)}`) && typeof object === "function";
  const { isEarly, initial, extra } = fields.get(`${isStatic}${String(key)}`);
  // Earlier decorators put accessors in the place of fields, which stay where a field is assigned.
  if (isEarly && hasAccessor(object, key)) {
    if (valueOf) object[key] = valueOf();
    return;
  }
  const value = initial.reduce((made, call) => call.call(object, made), valueOf?.());
  defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  for (const call of extra) call.call(object);
}

/** The class that decorators make of one. */
function ofClass(decorators, parameters, Class) {
  ofParameters(Class, undefined, parameters);
  const extra = [];
  const { name } = Class;
  const made = decorators.toReversed().reduce((before, decorate) => {
    const context = {
      kind: "class",
      name,
      metadata: metadataOf(Class),
      addInitializer: (call) => void extra.push(call),
    };
    const given = isEarlier(decorate, "class") ? [] : [context];
    const next = checked(decorate(before, ...given), "Class") ?? before;
    if (next !== before && next.name === "") {
      defineProperty(next, "name", { value: name, configurable: true });
    }
    return next;
  }, Class);
  for (const call of extra) call.call(made);
  return made;
}

/** Decorators of classes that are being made. */
const waiting = new Map();

export const decorating = {
  begin,
  field,
  keep: (id, decorators) => void waiting.set(id, [...waiting.get(id) ?? [], decorators]),
  kept: (id) => waiting.get(id).pop(),
  ofClass,
  ofMember,
};
