/** A real browser without a screen: Chromium, as Debian has it (package chromium). */

import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page } from "playwright-core";

async function works(command: string): Promise<boolean> {
  try {
    return (await new Deno.Command(command, { args: ["--version"], stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

async function find(): Promise<string | undefined> {
  const named = Deno.env.get("TEST_CHROMIUM");
  const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  for (const path of named ? [named] : usual) if (await works(path)) return path;
  return undefined;
}

const EXECUTABLE = await find();
/** How long anything may take that is waited for, ms: a busy machine needs more than the half minute of others. */
const PATIENCE_MS = 120_000;

/** For tests that need one: whether they are ignored, as the end of their names says. */
export const NO_BROWSER = EXECUTABLE === undefined;
export const BROWSER_MISSING = NO_BROWSER ? " (there is no chromium)" : "";

/** Widths that people have. */
export const DESKTOP = { width: 1280, height: 860 } as const;
export const PHONE = { width: 390, height: 844 } as const;

/** A browser with what its pages complain of. */
export class TestBrowser implements AsyncDisposable {
  /** What scripts threw, and what policies refused. */
  readonly complaints: string[] = [];

  private constructor(readonly browser: Browser) {}

  static async start(): Promise<TestBrowser> {
    // Who runs as root, as containers do, has no sandbox for it.
    const args = ["--no-sandbox", "--disable-dev-shm-usage"];
    return new TestBrowser(
      await chromium.launch({ executablePath: EXECUTABLE!, args, timeout: PATIENCE_MS }),
    );
  }

  /** A page of a person of their own: nothing is kept of others. */
  async open(url: URL, options: BrowserContextOptions = { viewport: DESKTOP }): Promise<Page> {
    const context = await this.browser.newContext({ acceptDownloads: true, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    await page.goto(url.href);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
  }
}

/** What axe finds on a page, or in a frame of it, that keeps people from using it, in words. */
export async function barriers(page: Page, frame: Frame = page.mainFrame()): Promise<string[]> {
  await frame.evaluate(axe.source);
  const { violations } = await frame.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: { run(options: unknown): Promise<Results> } };
    return axe.run({ iframes: false, resultTypes: ["violations"] });
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`);
}

interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
