import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { serveTools } from "~/mcp/endpoint.server";
import { workerTools } from "~/mcp/offers.server";

/** MCP with the few tools of a worker, so that its prompt stays small. */
const route = apiRoute({
  POST: endpoint({ auth: "bearer", handle: (call) => serveTools(call, workerTools) }),
});

export const loader = route.loader;
export const action = route.action;
