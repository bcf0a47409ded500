// A small project in files, one importing the other, written and then run.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root: string = join(process_cwd(), "project");
function process_cwd(): string {
  return "/tmp";
}
mkdirSync(join(root, "src"), { recursive: true });
writeFileSync(
  join(root, "src", "shapes.ts"),
  `
export interface Shape { readonly name: string; area(): number }
export class Circle implements Shape {
  readonly name = "circle";
  constructor(private r: number) {}
  area(): number { return Math.PI * this.r ** 2; }
}
export class Square implements Shape {
  readonly name = "square";
  constructor(private a: number) {}
  area(): number { return this.a ** 2; }
}
export type AnyShape = Circle | Square;
`,
);
writeFileSync(
  join(root, "src", "total.ts"),
  `
import { type AnyShape } from "./shapes.ts";
export const total = (shapes: readonly AnyShape[]): number => shapes.reduce((sum, s) => sum + s.area(), 0);
export default total;
`,
);

const { Circle, Square } = await import(join(root, "src", "shapes.ts"));
const { default: total } = await import(join(root, "src", "total.ts"));
const shapes = [new Circle(1), new Square(2)];
console.log(shapes.map((shape) => `${shape.name} ${shape.area().toFixed(3)}`));
console.log(total(shapes).toFixed(5));
