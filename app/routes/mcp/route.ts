import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { serveTools } from "~/mcp/endpoint.server";
import { allTools } from "~/mcp/offers.server";

/** MCP with every tool, for agents and the people who drive them. */
const route = apiRoute({
  POST: endpoint({ auth: "bearer", handle: (call) => serveTools(call, allTools) }),
});

export const loader = route.loader;
export const action = route.action;
