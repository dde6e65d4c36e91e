import { toolsRoute } from "~/mcp/endpoint.server";
import { allTools } from "~/mcp/offers.server";

export const loader = toolsRoute(allTools);

export const action = loader;
