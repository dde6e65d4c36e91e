import { toolsRoute } from "~/mcp/endpoint.server";
import { mainTools } from "~/mcp/offers.server";

/** MCP for agents and the people who use them. */
export const loader = toolsRoute(mainTools);

export const action = loader;
