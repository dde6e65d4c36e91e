import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { createSavedView, listSavedViews } from "~/nouns/saved-views/operations.server";
import { createSavedViewBody, savedViewsQuery } from "~/wire/saved-views/contract";

/** `/api/products/:id/views`: lists the caller's and shared views; creates one. */
export const loader = apiRoute({
  GET: operationEndpoint(listSavedViews, {
    summary: "List your own and shared views of backlog and board",
    query: savedViewsQuery,
    input: ({ id, query }) => ({ ...query, product_id: id }),
  }),
  POST: operationEndpoint(createSavedView, {
    summary: "Save the filter and layout of a page as a view",
    body: createSavedViewBody,
    status: 201,
    refusals: [409, 429],
    input: ({ id, body }) => ({ ...body, product_id: id }),
  }),
});

export const action = loader;
