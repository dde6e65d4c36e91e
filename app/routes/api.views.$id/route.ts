import { updateSavedViewBody } from "~/contract/saved-view";
import { deleteSavedView, updateSavedView } from "~/domain/saved-views/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json, noContent } from "~/http/responses.server";

/** `/api/views/:id`: name, look and reach of a saved view. */
const route = apiRoute({
  PATCH: endpoint({
    auth: "either",
    write: true,
    id: "view",
    body: updateSavedViewBody,
    handle: async ({ actor, id, body }) =>
      json(await updateSavedView(actor, { ...body, view_id: id })),
  }),
  DELETE: endpoint({
    auth: "either",
    write: true,
    id: "view",
    handle: async ({ actor, id }) => {
      await deleteSavedView(actor, { view_id: id });
      return noContent({});
    },
  }),
});

export const loader = route.loader;
export const action = route.action;
