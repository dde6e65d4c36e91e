import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listLandings, nextLanding } from "~/nouns/landings/operations.server";
import { nextLandingBody } from "~/wire/landings/contract";

/** `/api/products/:id/landings`: the merge queue, and a worker's claim of the next branch. */
export const loader = apiRoute({
  GET: operationEndpoint(listLandings, {
    summary: "List branches in the merge queue and recent results",
    input: ({ id }) => ({ product_id: id }),
  }),
  POST: operationEndpoint(nextLanding, {
    summary: "Claim the branch to merge next",
    auth: "bearer",
    body: nextLandingBody,
    refusals: [429],
    input: ({ id, body }) => ({ product_id: id, ...body }),
  }),
});

export const action = loader;
