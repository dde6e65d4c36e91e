import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getNextStory } from "~/nouns/products/operations.server";

/** The next story of the active sprint (specification: GET /api/products/:id/next-story). */
export const loader = apiRoute({
  GET: operationEndpoint(getNextStory, {
    summary: "Get the first open story of the active sprint",
    auth: "bearer",
    input: ({ id }) => ({ product_id: id }),
  }),
});
