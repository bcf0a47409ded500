const bad = [
  "not json",
  "{bad json}",
  "{'a': 1}",
  '{"a": 1,}',
  "[1,2",
  "",
  "  ",
  '{"a":',
  '{"a" 1}',
  "[1 2]",
  "undefined",
  "nul",
  '"abc',
  '{"a":1}}',
  "01",
  "-",
  "1.",
  "1e",
  '{"a":"b\n"}',
  '{"a":"\\x"}',
  '"\\u12G4"',
  "[1,]",
  "[,1]",
  "{,}",
  '{"a":1 "b":2}',
  "NaN",
  "[object Object]",
  "<!DOCTYPE html><html><body>Not found</body></html>",
  '{"name": "x", "list": [1, 2, oops], "more": "text here"}',
  "hello world this is a much longer text that is not json at all, really",
  '{"a": tru}',
  "true false",
  '"a" "b"',
  '{"a": undefined}',
  "{\"k\": 'v'}",
  '{"a": .5}',
  "+1",
  "[1, 2, 3",
  '{"open": {"deep": [1, {"x": 1]}}',
  "// c\n{}",
  '{"a":1, // c\n"b":2}',
  '{"a": 1; "b": 2}',
  "{1: 2}",
  "[-]",
  '"tab\there"',
  '{"é": x}',
  "1 2",
  "[1,,2]",
  '{"a"}',
  '{"a":}',
  "null,",
  "[undefined]",
  "fals",
  "truex",
  '"unterminated \\',
  '"\\u12',
  '{"a":01}',
  "[0x1]",
  "}",
];
for (const b of bad) {
  try {
    console.log(JSON.stringify(b), JSON.parse(b));
  } catch (e) {
    console.log(JSON.stringify(b), e.name, e.message);
  }
}
for (const v of [undefined, {}, [], null, 5, Symbol.iterator]) {
  try {
    console.log(JSON.parse(v));
  } catch (e) {
    console.log(e.name, e.message);
  }
}
try {
  JSON.parse("[1]", () => {
    throw new SyntaxError("mine");
  });
} catch (e) {
  console.log(e.message);
}
console.log(
  JSON.parse('{"a":[1,{"b":2}]}', (_k, v) => typeof v === "number" ? v * 2 : v),
  JSON.parse.name,
  JSON.parse.length,
);
