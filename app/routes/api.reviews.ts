import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listWaitingReviews } from "~/nouns/reviews/operations.server";
import { listReviewsQuery } from "~/wire/reviews/contract";

/** `GET /api/reviews`: what waits for the caller's verdict, the one that holds up most first. */
export const loader = apiRoute({
  GET: operationEndpoint(listWaitingReviews, {
    summary: "List changes that wait for your review, most blocking first",
    query: listReviewsQuery,
    refusals: [403, 404],
    input: ({ query }) => query,
  }),
});
