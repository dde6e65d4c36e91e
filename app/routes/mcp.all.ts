import { toolsRoute } from "~/mcp/endpoint.server";
import { allTools } from "~/mcp/offers.server";

/** MCP with every tool in its list. */
export const loader = toolsRoute(allTools);

export const action = loader;
