const u = new URL("https://user:pa%20ss@sub.example.com:8080/p/a/t/h?query=string&a=1&a=2#hash");
console.log(u);
console.log(u.searchParams.getAll("a"), u.searchParams);
u.searchParams.append("b c", "ü&=");
u.pathname = "/ä b";
console.log(u.href, u.origin, JSON.stringify({ u }));
for (const bad of ["nope", "http://", "//x"]) {
  try {
    new URL(bad);
  } catch (e) {
    console.log(e.name, e.code, e.message, e.input);
  }
}
console.log(URL.canParse("a:b"), new URL("../x?y#z", "http://h/a/b/c").toString());
const p = new URLSearchParams({ z: 1, a: "x y" });
p.sort();
console.log(p.toString(), [...p], p.size, p.has("z", "1"));
const url = require("url");
console.log(url.parse("http://a.com:80/x?y=1#z"));
console.log(
  url.format({ protocol: "http", host: "x.y", pathname: "/z", query: { a: 1 } }),
  url.fileURLToPath("file:///a%20b"),
  url.pathToFileURL("/x y").href,
  url.resolve("http://a/b/c", "../d"),
);
const qs = require("querystring");
console.log(
  qs.parse("a=1&a=2&b=%20x"),
  qs.stringify({ a: [1, 2], b: "ü", c: "" }),
  encodeURIComponent("ä/b?"),
  decodeURIComponent("%E2%82%AC"),
);
try {
  decodeURIComponent("%");
} catch (e) {
  console.log(e.name, e.message);
}
