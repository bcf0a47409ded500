const fs = require("fs");
const orders = [
  { id: 1, customer: "Ada", items: [{ sku: "A1", qty: 2, price: 9.99 }, { sku: "B2", qty: 1, price: 24.5 }] },
  { id: 2, customer: "Grace", items: [{ sku: "C3", qty: 5, price: 3.2 }] },
];
const money = (n) => n.toLocaleString("en-US", { style: "currency", currency: "USD" });
const totals = orders.map(({ customer, items }) => ({
  customer,
  total: items.reduce((s, i) => s + i.qty * i.price, 0),
}));
const html = `<ul>\n${totals.map((t) => `  <li>${t.customer}: ${money(t.total)}</li>`).join("\n")}\n</ul>\n`;
fs.writeFileSync("report.html", html);
process.stdout.write(fs.readFileSync("report.html"));
console.log(
  totals.toSorted((a, b) => b.total - a.total)[0].customer,
  money(totals.reduce((s, t) => s + t.total, 0)),
);
console.table(totals);
