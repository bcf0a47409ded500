const response = new Response(JSON.stringify({ ok: true }), {
  status: 201,
  headers: { "Content-Type": "application/json" },
});
console.log(response.status, response.ok, response.headers.get("content-type"), await response.json());
const headers = new Headers([["b", "2"], ["A", "1"], ["a", "3"]]);
console.log([...headers], headers.has("B"));
const form = new FormData();
form.append("name", "x");
form.append("file", new Blob(["hello"], { type: "text/plain" }), "hello.txt");
console.log([...form.keys()], form.get("file").name, await form.get("file").text());
const stream = new ReadableStream({
  start(controller) {
    for (const word of ["one", "two", "three"]) controller.enqueue(word);
    controller.close();
  },
}).pipeThrough(new TransformStream({ transform: (chunk, c) => c.enqueue(chunk.toUpperCase()) }));
for await (const chunk of stream) console.log(chunk);
const target = new EventTarget();
target.addEventListener("ping", (event) => console.log(event.type, event.detail), { once: true });
target.dispatchEvent(new CustomEvent("ping", { detail: 42 }));
target.dispatchEvent(new CustomEvent("ping", { detail: 43 }));
const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc"));
console.log(Buffer.from(digest).toString("hex").slice(0, 16), crypto.randomUUID().split("-").length);
const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt", "decrypt"]);
const iv = crypto.getRandomValues(new Uint8Array(12));
const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode("secret"));
console.log(
  sealed.byteLength,
  new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, sealed)),
);
const { port1, port2 } = new MessageChannel();
port2.onmessage = (event) => {
  console.log(event.data);
  port1.close();
};
port1.postMessage({ nested: [1, new Date(0)] });
await new Promise((resolve) => setTimeout(resolve, 5));
console.log(structuredClone(new Map([[1, { a: new Set([1]) }]])), btoa("hi"), atob("aGk="));
