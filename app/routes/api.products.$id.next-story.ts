import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getNextStory } from "~/nouns/products/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(getNextStory, {
    summary: "Get the first open story of the active sprint",
    auth: "bearer",
    input: ({ id }) => ({ product_id: id }),
  }),
});
