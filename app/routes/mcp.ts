import { toolsRoute } from "~/mcp/endpoint.server";
import { allTools } from "~/mcp/offers.server";

/** MCP with all tools, for agents and the people who use them. */
export const loader = toolsRoute(allTools);
export const action = loader;
