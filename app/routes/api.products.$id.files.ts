import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";
import { fileListQuery } from "~/nouns/files/contract";
import { listFiles } from "~/nouns/files/operations.server";

/** `GET /api/products/:id/files`: the files of a product, and the bytes they take. */
export const loader = apiRoute({
  GET: operationEndpoint(listFiles, {
    name: "listFiles",
    summary: "The files of a product, newest first, and the bytes they take",
    auth: "either",
    id: "product",
    query: fileListQuery,
    input: ({ id, query }) => ({ product_id: id, ...query }),
  }),
});
export const action = loader;
