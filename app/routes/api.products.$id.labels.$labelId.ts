import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { deleteLabel, updateLabel } from "~/nouns/labels/operations.server";
import { canonicalId } from "~/wire/canonical-id";
import { updateLabelBody } from "~/wire/labels/contract";

/** `/api/products/:id/labels/:labelId`: changes or deletes a label. */
export const loader = apiRoute({
  PATCH: operationEndpoint(updateLabel, {
    summary: "Rename a label or change its color",
    body: updateLabelBody,
    refusals: [409, 429],
    input: ({ id, params, body }) => ({ ...body, product_id: id, label_id: canonicalId(params.labelId) }),
  }),
  DELETE: operationEndpoint(deleteLabel, {
    summary: "Delete a label and remove it from its stories and tasks",
    status: 204,
    refusals: [429],
    input: ({ id, params }) => ({ product_id: id, label_id: canonicalId(params.labelId) }),
  }),
});

export const action = loader;
