import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";
import { listPullTexts } from "~/nouns/pulls/operations.server";

/** `GET /api/products/:id/pull-texts`: what the pull requests of done work say. */
export const loader = apiRoute({
  GET: operationEndpoint(listPullTexts, {
    name: "listPullTexts",
    summary:
      "Branches of done work whose pull request is open or still to be opened, with the stories that its text is made of",
    auth: "either",
    id: "product",
    input: ({ id }) => ({ product_id: id }),
  }),
});
export const action = loader;
