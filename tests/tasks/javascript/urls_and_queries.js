const { URL, URLSearchParams, parse, fileURLToPath, pathToFileURL } = require("url");
const qs = require("querystring");

const url = new URL("https://user:pa%20ss@example.com:8080/a/b/../c?x=1&y=2&x=3#frag");
console.log(url.hostname, url.port, url.pathname, url.searchParams.getAll("x"), url.hash, url.origin);
url.searchParams.append("name", "Jürgen Müller");
url.searchParams.delete("y");
url.pathname = "/neu ordner";
console.log(url.href);
console.log(new URL("../img/logo.png", "https://example.com/docs/guide/").href);
const params = new URLSearchParams({ q: "a b&c", page: 2 });
params.sort();
console.log(params.toString(), [...params.keys()], params.has("q"));
console.log(
  parse("http://host.com:80/path?query=string#hash").pathname,
  qs.parse("a=1&b=2&a=3&c=%20d"),
  qs.stringify({ a: [1, 2], b: "x y" }),
);
console.log(pathToFileURL("/tmp/a b.txt").href, fileURLToPath("file:///tmp/a%20b.txt"));
console.log(URL.canParse("not a url"), encodeURIComponent("ä/&"), decodeURIComponent("%E4%B8%96"));
try {
  new URL("nope");
} catch (error) {
  console.log(error.name, error.code, error.message);
}
console.log(url);
