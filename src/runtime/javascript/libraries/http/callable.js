/**
 * Classes that can also be called on an object that inherits from them, as Node's own, which are functions:
 * `http.ServerResponse.call(this, request)` is how older code extends one.
 */

/** The object that the next base is to be made of. */
let adopted;

/** @param Base A function that can be called. @returns The class to extend, for what {@link callable} is made of. */
export function adopting(Base) {
  function Adopting(...args) {
    if (adopted === undefined) return Reflect.construct(Base, args, new.target);
    const made = adopted;
    adopted = undefined;
    Base.apply(made, args);
    return made;
  }
  Adopting.prototype = Base.prototype;
  return Object.setPrototypeOf(Adopting, Base);
}

/** The class, as a function. */
export function callable(Class) {
  function made(...args) {
    if (new.target) return Reflect.construct(Class, args, new.target);
    if (!(this instanceof made)) return new made(...args);
    adopted = this;
    try {
      Reflect.construct(Class, args);
    } finally {
      adopted = undefined;
    }
  }
  Object.defineProperty(made, "name", { value: Class.name });
  made.prototype = Class.prototype;
  made.prototype.constructor = made;
  Object.defineProperty(made.prototype, "constructor", { enumerable: false });
  return Object.setPrototypeOf(made, Class);
}
