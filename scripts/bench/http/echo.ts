/** The least that an HTTP server on Deno can do: reads a body and sends it back. */

const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  async (request) => new Response(await request.text(), { headers: { "content-type": "application/json" } }),
);
console.error(`listening on http://127.0.0.1:${server.addr.port}/`);
