setTimeout(() => console.log("t0"), 0);
setTimeout(() => console.log("t2"), 2);
setImmediate(() => {
  console.log("i1");
  process.nextTick(() => console.log("i-tick"));
  setTimeout(() => console.log("i-t"), 40);
});
process.nextTick(() => {
  console.log("n1");
  process.nextTick(() => console.log("n2"));
  Promise.resolve().then(() => console.log("n-p"));
});
(async () => {
  console.log("a1");
  await null;
  console.log("a2");
  await new Promise((r) => setTimeout(r, 200));
  console.log("a3");
})();
new Promise((r) => {
  console.log("p");
  r();
}).then(() => console.log("p1")).then(() => console.log("p2")).finally(() => console.log("fin"));
require("fs").readFile(__filename, () => {
  console.log("read");
  setTimeout(() => console.log("rt"), 40);
  setImmediate(() => console.log("ri"));
});
const iv = setInterval(() => {
  console.log("iv");
  clearInterval(iv);
}, 800);
const due = Date.now() + 5;
while (Date.now() < due);
console.log("end");
