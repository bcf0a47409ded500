// Stock of a shop: add, sell, report.
enum Category {
  Tools = "tools",
  Toys = "toys",
}

interface Product {
  readonly sku: string;
  name: string;
  category: Category;
  price: number;
  stock: number;
}

class OutOfStockError extends Error {
  constructor(public readonly sku: string, public readonly wanted: number, public readonly left: number) {
    super(`only ${left} of ${sku} left, ${wanted} wanted`);
    this.name = "OutOfStockError";
  }
}

class Inventory {
  private products = new Map<string, Product>();
  #sold: Record<string, number> = {};

  add(product: Product): this {
    this.products.set(product.sku, { ...product });
    return this;
  }

  sell(sku: string, count = 1): number {
    const product = this.products.get(sku);
    if (!product) throw new RangeError(`unknown product ${sku}`);
    if (product.stock < count) throw new OutOfStockError(sku, count, product.stock);
    product.stock -= count;
    this.#sold[sku] = (this.#sold[sku] ?? 0) + count;
    return product.price * count;
  }

  byCategory(): Record<Category, Product[]> {
    const result = {} as Record<Category, Product[]>;
    for (const product of this.products.values()) (result[product.category] ??= []).push(product);
    return result;
  }

  get value(): number {
    return [...this.products.values()].reduce((sum, { price, stock }) => sum + price * stock, 0);
  }
}

const inventory = new Inventory()
  .add({ sku: "H1", name: "Hammer", category: Category.Tools, price: 12.5, stock: 4 })
  .add({ sku: "B1", name: "Ball", category: Category.Toys, price: 3, stock: 10 })
  .add({ sku: "S1", name: "Saw", category: Category.Tools, price: 20, stock: 1 });

console.log("revenue:", inventory.sell("H1", 2) + inventory.sell("B1"));
try {
  inventory.sell("S1", 2);
} catch (error: unknown) {
  if (error instanceof OutOfStockError) console.log(error.name, error.message, error.left);
  else throw error;
}
for (const [category, products] of Object.entries(inventory.byCategory())) {
  console.log(category.padEnd(6), products!.map((p) => `${p.name}×${p.stock}`).join(", "));
}
console.log("value:", inventory.value.toFixed(2));
console.log(JSON.stringify(inventory.byCategory()[Category.Toys], null, 2));
