import { getNextStory } from "~/domain/products/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** The next story of the active sprint (specification: GET /api/products/:id/next-story). */
const route = apiRoute({
  GET: endpoint({
    auth: "bearer",
    id: "product",
    handle: async ({ actor, id }) => jsonText(await getNextStory.json(actor, { product_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
