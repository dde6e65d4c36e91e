import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listPullTexts } from "~/nouns/pulls/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(listPullTexts, {
    summary: "List branches of done work with the text for their pull requests",
    input: ({ id }) => ({ product_id: id }),
  }),
});
