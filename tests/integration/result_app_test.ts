/** MCP Apps: results as a view, for clients that negotiate it, and nothing of it for the others. */

import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Frame, Page } from "playwright-core";
import { barriers, BROWSER_MISSING, NO_BROWSER, PHONE, TestBrowser } from "../support/browser.ts";
import { serverCommand, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";

const URI = "ui://wasmbox/result.html";
const MIME_TYPE = "text/html;profile=mcp-app";
const APPS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME_TYPE] } } };

async function start(): Promise<HttpServer> {
  const { command, args } = serverCommand();
  return await HttpServer.spawn({ command, args: [...args, "serve", "--http", "--port", "0"] });
}

async function connect(server: HttpServer, capabilities: Record<string, unknown>, stateless: boolean) {
  const client = new Client({ name: "host", version: "1.0.0" }, {
    capabilities,
    ...stateless && { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  });
  await client.connect(new StreamableHTTPClientTransport(server.url));
  return client;
}

Deno.test(`[${UNDER_TEST}] clients that negotiate MCP Apps are told of the result app, and others not a word`, async () => {
  await using server = await start();
  for (const stateless of [false, true]) {
    const host = await connect(server, APPS, stateless);
    const { tools } = await host.listTools();
    const shown = tools.filter(({ _meta }) => _meta !== undefined);
    assert.deepEqual(shown.map(({ name }) => name).sort(), [
      "execute_code",
      "execute_command",
      "get_execution",
    ]);
    for (const { name, icons } of tools) {
      const [icon] = icons ?? [];
      assert.match(decodeURIComponent(icon?.src ?? ""), /^data:image\/svg\+xml,<svg [^]*<\/svg>$/, name);
      assert.ok(icon!.src.length < 500, name);
    }
    assert.deepEqual(shown[0]!._meta, { ui: { resourceUri: URI }, "ui/resourceUri": URI });
    assert.deepEqual((await host.listResources()).resources.map(({ uri }) => uri), [URI]);
    const { contents: [view] } = await host.readResource({ uri: URI });
    assert.equal(view!.mimeType, MIME_TYPE);
    const foreign = /(?:src|href)="(?!data:)|@import|url\((?!["']?data:)/.exec(
      (view as { text: string }).text.split("<script")[0]!,
    );
    assert.equal(foreign, null);
    await host.close();

    for (
      const capabilities of [{}, {
        extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/plain"] } },
      }]
    ) {
      const plain = await connect(server, capabilities, stateless);
      const listed = await plain.listTools();
      assert.deepEqual(listed.tools.filter(({ _meta }) => _meta !== undefined), []);
      assert.deepEqual(listed.tools.filter(({ icons }) => icons !== undefined), []);
      assert.deepEqual((await plain.listResources()).resources, []);
      assert.equal(plain.getServerVersion()?.icons?.[0]?.mimeType, "image/svg+xml");
      await plain.close();
    }
  }
});

/** As hosts have it: a frame of nobody's origin, which is told a result by the protocol's messages. */
async function show(page: Page, html: string, result: unknown): Promise<Frame> {
  await page.setContent("<!doctype html><html lang=en><title>Host</title><main><h1>Host</h1></main>");
  await page.evaluate(({ html, result }) => {
    // deno-lint-ignore no-explicit-any
    const { document, addEventListener } = globalThis as any;
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.title = "View";
    frame.width = "360";
    frame.height = "700";
    const send = (message: object) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
    // deno-lint-ignore no-explicit-any
    addEventListener("message", ({ data }: any) => {
      if (data.method === "ui/initialize") {
        send({
          id: data.id,
          result: {
            protocolVersion: data.params.protocolVersion,
            hostInfo: { name: "host", version: "1.0.0" },
            hostCapabilities: { downloadFile: {} },
            hostContext: { theme: "dark" },
          },
        });
      }
      if (data.method === "ui/notifications/initialized") {
        send({ method: "ui/notifications/tool-result", params: result });
      }
    });
    frame.srcdoc = html;
    document.querySelector("main").append(frame);
  }, { html, result });
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  return frame!;
}

Deno.test({
  name:
    `[${UNDER_TEST}] the result app shows text, tables, pictures, files and HTML, which stays without scripts${BROWSER_MISSING}`,
  ignore: NO_BROWSER,
  fn: async () => {
    await using server = await start();
    await using browser = await TestBrowser.start();
    const host = await connect(server, APPS, true);
    const html = "<b>bold</b><script>document.body.append('RAN'); parent.postMessage('evil', '*')</script>";
    const code = `
import pygal
chart = pygal.Line(); chart.add("a", [1, 3, 2]); display(chart)
display([{"city": "Oslo", "visits": 12}])
display(${JSON.stringify(html)}, mime_type="text/html")
open("sums <1>.csv", "w").write("a,b")
print("<i>printed</i>")
6 * 7`;
    const result = await host.callTool({ name: "execute_code", arguments: { code } });
    const { contents: [view] } = await host.readResource({ uri: URI });
    const page = await browser.open(new URL("/health", server.url), { viewport: PHONE });
    const frame = await show(page, (view as { text: string }).text, result);
    await frame.getByText("<i>printed</i>").waitFor();
    await frame.getByText("42", { exact: true }).waitFor();
    await frame.getByRole("img", { name: "Picture" }).waitFor();
    await frame.getByRole("cell", { name: "Oslo" }).waitFor();
    await frame.getByRole("button", { name: "sums <1>.csv" }).waitFor();
    const shown = frame.frameLocator("iframe");
    await shown.getByText("bold").waitFor();
    assert.doesNotMatch(await shown.locator("body").innerText(), /RAN/);
    assert.deepEqual(await barriers(page, frame), []);
    await host.close();
  },
});
