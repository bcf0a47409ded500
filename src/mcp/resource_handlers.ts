/** Resources on the SDK's server. */

import type { Server } from "@modelcontextprotocol/server";
import type { SessionTable } from "../session/table.ts";
import { RESOURCE_TEMPLATES, Resources } from "./resources.ts";
import { readResultApp, rendersApps, RESULT_APP } from "./result_app.ts";
import { ResourceUpdates } from "./resource_updates.ts";
import { readVariables, VARIABLES_TEMPLATE } from "./variables_resource.ts";

export const RESOURCE_CAPABILITIES = { resources: { subscribe: true, listChanged: true } };

/**
 * @param lasting The connection outlives a request, so that changes can be told on it. (On the stateless protocol they go
 * another way: clients listen to the handler that all requests share.)
 */
export function addResources(
  server: Server,
  sessions: SessionTable,
  principal: string,
  lasting: boolean,
): void {
  const updates = lasting ? new ResourceUpdates(server, sessions, principal) : undefined;
  server.onclose = () => updates?.[Symbol.dispose]();
  const resources = new Resources(sessions, principal, () => updates?.listChanged());
  server.setRequestHandler("resources/list", async ({ params }) => {
    const listing = await resources.list(params?.cursor);
    const first = params?.cursor === undefined && rendersApps(server.getClientCapabilities());
    return first ? { ...listing, resources: [RESULT_APP, ...listing.resources] } : listing;
  });
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [...RESOURCE_TEMPLATES, VARIABLES_TEMPLATE],
  }));
  server.setRequestHandler(
    "resources/read",
    async ({ params: { uri } }) =>
      await readResultApp(uri) ?? await readVariables(uri, sessions, principal) ?? await resources.read(uri),
  );
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    updates?.subscribe(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    updates?.unsubscribe(params.uri);
    return {};
  });
}
