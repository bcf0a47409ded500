class Shape {
  static #count = 0;
  constructor(name) {
    if (new.target === Shape) throw new TypeError("abstract");
    this.name = name;
    Shape.#count++;
  }
  static get count() {
    return Shape.#count;
  }
  area() {
    throw new Error("not implemented");
  }
  toString() {
    return `${this.constructor.name}(${this.name}): ${this.area().toFixed(2)}`;
  }
}
class Circle extends Shape {
  #radius;
  constructor(radius) {
    super("circle");
    this.#radius = radius;
  }
  area() {
    return Math.PI * this.#radius ** 2;
  }
}
class Rect extends Shape {
  constructor(w, h) {
    super("rect");
    Object.assign(this, { w, h });
  }
  area() {
    return this.w * this.h;
  }
  *[Symbol.iterator]() {
    yield this.w;
    yield this.h;
  }
}
const shapes = [new Circle(2), new Rect(3, 4)];
shapes.forEach((shape) => console.log(`${shape}`));
console.log(shapes, [...shapes[1]], Shape.count);
try {
  new Shape("x");
} catch (error) {
  console.log(error instanceof TypeError, error.message);
}
console.log(shapes[0] instanceof Shape, Object.getPrototypeOf(Circle) === Shape, Circle);
