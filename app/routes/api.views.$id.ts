import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { deleteSavedView, updateSavedView } from "~/nouns/saved-views/operations.server";
import { updateSavedViewBody } from "~/wire/saved-views/contract";

/** `/api/views/:id`: changes or deletes a saved view. */
export const loader = apiRoute({
  PATCH: operationEndpoint(updateSavedView, {
    summary: "Update a view. Its author; for shared views also the product's owner",
    body: updateSavedViewBody,
    refusals: [409, 429],
    input: ({ id, body }) => ({ ...body, view_id: id }),
  }),
  DELETE: operationEndpoint(deleteSavedView, {
    summary: "Delete a view. Its author; for shared views also the product's owner",
    status: 204,
    refusals: [429],
    input: ({ id }) => ({ view_id: id }),
  }),
});

export const action = loader;
