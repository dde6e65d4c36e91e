import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getAgentContext } from "~/nouns/products/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(getAgentContext, {
    summary: "Get a product with its active sprint, next story and open ideas",
    auth: "bearer",
    input: ({ id }) => ({ product_id: id }),
  }),
});
