import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { createLabel, listLabels } from "~/nouns/labels/operations.server";
import { createLabelBody } from "~/wire/labels/contract";

/** `/api/products/:id/labels`: lists and creates labels. */
export const loader = apiRoute({
  GET: operationEndpoint(listLabels, {
    summary: "List a product's labels by name",
    input: ({ id }) => ({ product_id: id }),
  }),
  POST: operationEndpoint(createLabel, {
    summary: "Create a label. Names are unique, ignoring case",
    body: createLabelBody,
    status: 201,
    refusals: [409, 429],
    input: ({ id, body }) => ({ ...body, product_id: id }),
  }),
});

export const action = loader;
