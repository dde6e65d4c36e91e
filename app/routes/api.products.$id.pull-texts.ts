import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listPullTexts } from "~/nouns/pulls/operations.server";

/** `GET /api/products/:id/pull-texts`: what the pull requests of done work say. */
export const loader = apiRoute({
  GET: operationEndpoint(listPullTexts, {
    summary: "List branches of done work with the text for their pull requests",
    input: ({ id }) => ({ product_id: id }),
  }),
});
