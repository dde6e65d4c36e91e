import { toolsRoute } from "~/mcp/endpoint.server";
import { allTools } from "~/mcp/offers.server";

/** MCP with every tool, for agents and the people who drive them. */
export const loader = toolsRoute(allTools);
export const action = loader;
