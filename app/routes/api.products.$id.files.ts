import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listFiles } from "~/nouns/files/operations.server";
import { fileListQuery } from "~/wire/files/contract";

export const loader = apiRoute({
  GET: operationEndpoint(listFiles, {
    summary: "List a product's files, newest first, and the bytes they use",
    query: fileListQuery,
    input: ({ id, query }) => ({ product_id: id, ...query }),
  }),
});
