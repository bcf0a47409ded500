/** What operators ask: is it alive, is it ready, what is it, and what has it done. */

import type { Hono } from "hono";
import { clientAddress } from "../../config/networks.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { VERSION } from "../../version.ts";
import type { AppParts, Exchange } from "./app.ts";
import { StaticTokens } from "./auth/static_tokens.ts";
import { pageResponse, wantsPage } from "./page.ts";
import { Refusal } from "./refusal.ts";

/** Why a server is not ready; "ready" if it is. */
export type Status = "ready" | "starting" | "failed" | "audit_unavailable" | "shutting_down";

/** What operators may look at. */
export interface Operations {
  /** Whether executions can be served now. */
  status(): Status;
  readonly metrics: Metrics;
}

/** The paths beside the protocol's, as metrics name them. */
export const OPERATIONS_PATHS = ["/", "/health", "/ready", "/metrics"] as const;

type App = Hono<{ Bindings: Exchange }>;

/**
 * `/health` and `/ready`, for everyone: whoever probes knows the server by its address, not by its name, and they tell
 * nothing but one word.
 */
export function addProbes(app: App, { status }: Operations): void {
  app.get("/health", (c) => c.json({ status: "ok" }));
  app.get("/ready", (c) => {
    const now = status();
    return c.json({ status: now }, now === "ready" ? 200 : 503);
  });
}

/** `GET /`, for everyone: the page for a browser, else a few facts; and `/metrics`. */
export function addStatus(app: App, parts: AppParts): void {
  const { operations, options } = parts;
  app.get("/", async (c) => {
    if (options.page && wantsPage(c.req.header("accept"))) {
      await parts.rates.countAddress(
        clientAddress(c.env.address, c.req.header("x-forwarded-for"), parts.proxies),
      );
      return await pageResponse();
    }
    const ready = operations.status() === "ready";
    return c.json({
      status: ready ? "healthy" : "unhealthy",
      server: "wasmbox",
      version: VERSION,
      wrapper_status: ready ? "connected" : "disconnected",
      endpoint: options.path,
    });
  });
  if (!options.metrics) return;
  const admit = metricsGate(parts);
  app.get("/metrics", async (c) => {
    const address = clientAddress(c.env.address, c.req.header("x-forwarded-for"), parts.proxies);
    await admit(address, c.req.header("authorization"));
    const { metrics } = operations;
    return c.body(await metrics.text(), 200, { "content-type": metrics.contentType });
  });
}

/**
 * Metrics tell of all clients together, so that no client's own token opens them: they have one of theirs, and where
 * clients need tokens but metrics have none, there are no metrics.
 *
 * @returns Lets a request in. @throws {Refusal} 401, 404, 429.
 */
function metricsGate({ options, authenticator, rates }: AppParts) {
  const { metricsToken } = options;
  const tokens = metricsToken === null ? undefined : new StaticTokens({ metrics: metricsToken });
  return async (address: string, header: string | undefined): Promise<void> => {
    await rates.countAddress(address);
    if (!tokens) {
      if (!authenticator.required) return;
      throw new Refusal(404, "NOT_FOUND", "There are no metrics for anyone: metrics.token is not set");
    }
    const token = /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
    if (token !== undefined && await tokens.nameOf(token) !== undefined) return;
    if (header !== undefined) await rates.countFailure(address);
    throw new Refusal(401, "UNAUTHORIZED", "The metrics' own token is required", {
      suggestions: ["Send metrics.token: Authorization: Bearer …"],
      headers: { "www-authenticate": 'Bearer realm="wasmbox metrics"' },
    });
  };
}
