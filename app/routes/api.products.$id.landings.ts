import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";
import { nextLandingBody } from "~/nouns/landings/contract";
import { listLandings, nextLanding } from "~/nouns/landings/operations.server";

/** `/api/products/:id/landings`: the landing queue, and a worker's claim of the next branch. */
export const loader = apiRoute({
  GET: operationEndpoint(listLandings, {
    name: "listLandings",
    summary: "The branches that wait to land, and what became of the last ones",
    auth: "either",
    id: "product",
    input: ({ id }) => ({ product_id: id }),
  }),
  POST: operationEndpoint(nextLanding, {
    name: "nextLanding",
    summary: "A worker takes the branch that lands next; null when there is none",
    auth: "bearer",
    id: "product",
    body: nextLandingBody,
    refusals: [429],
    input: ({ id, body }) => ({ product_id: id, ...body }),
  }),
});
export const action = loader;
