/**
 * The parts of prom-client that are used, each by its own module: the package as a whole loads an HTTP client and Node's
 * cluster, which takes longer than starting the rest of the server.
 */

import type * as client from "prom-client";
import counter from "prom-client/lib/counter.js";
import gauge from "prom-client/lib/gauge.js";
import histogram from "prom-client/lib/histogram.js";
import registry from "prom-client/lib/registry.js";

export const Counter = counter as typeof client.Counter;
export const Gauge = gauge as typeof client.Gauge;
export const Histogram = histogram as typeof client.Histogram;
export const Registry = registry as typeof client.Registry;
