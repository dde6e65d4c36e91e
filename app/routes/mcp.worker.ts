import { toolsRoute } from "~/mcp/endpoint.server";
import { workerTools } from "~/mcp/offers.server";

/** MCP with only the tools a worker needs, so that its prompt stays small. */
export const loader = toolsRoute(workerTools);

export const action = loader;
