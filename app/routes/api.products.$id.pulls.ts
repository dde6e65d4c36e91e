import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listPulls } from "~/nouns/pulls/operations.server";
import { listPullsInput } from "~/wire/pulls/contract";

export const loader = apiRoute({
  GET: operationEndpoint(listPulls, {
    summary: "List open pull requests, newest first; state=all includes closed and merged ones",
    query: listPullsInput.pick({ state: true }),
    input: ({ id, query }) => ({ product_id: id, ...query }),
  }),
});
