import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listReady } from "~/nouns/dependencies/operations.server";
import { readyQuery } from "~/wire/dependencies/contract";

export const loader = apiRoute({
  GET: operationEndpoint(listReady, {
    summary: "List tasks that are not blocked",
    query: readyQuery,
    input: ({ id, query }) => ({ product_id: id, ...query }),
  }),
});
