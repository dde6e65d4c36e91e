import { toolsRoute } from "~/mcp/endpoint.server";
import { mainTools } from "~/mcp/offers.server";

export const loader = toolsRoute(mainTools);

export const action = loader;
