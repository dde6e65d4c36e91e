import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { saveChangeIndex } from "~/nouns/forecasts/operations.server";
import { changeIndexBody, indexLimits } from "~/wire/forecasts/contract";

/** `PUT /api/products/:id/change-index`: a worker sends what the newest changes of main touched. */
export const loader = apiRoute({
  PUT: operationEndpoint(saveChangeIndex, {
    summary:
      "Store titles and paths of the main branch's newest changes, plain or gzip; the same head again does nothing",
    auth: "bearer",
    body: changeIndexBody,
    unpackedLimit: indexLimits.unpacked,
    status: 204,
    refusals: [409, 429],
    input: ({ id, body }) => ({ product_id: id, ...body }),
  }),
});

export const action = loader;
