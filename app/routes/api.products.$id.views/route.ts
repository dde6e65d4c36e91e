import { createSavedViewBody, savedViewsQuery } from "~/contract/saved-view";
import { createSavedView, listSavedViews } from "~/domain/saved-views/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `/api/products/:id/views`: one's own and the shared ones; a new one. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "product",
    query: savedViewsQuery,
    handle: async ({ actor, id, query }) =>
      json(await listSavedViews(actor, { ...query, product_id: id })),
  }),
  POST: endpoint({
    auth: "either",
    write: true,
    id: "product",
    body: createSavedViewBody,
    handle: async ({ actor, id, body }) =>
      json(await createSavedView(actor, { ...body, product_id: id }), { status: 201 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
