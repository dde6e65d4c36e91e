import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { waiveCriterion } from "~/nouns/proof/operations.server";
import { waiveCriterionBody } from "~/wire/proof/contract";

/** `/api/stories/:id/waivers`: a person waives a criterion, with a reason. The operation refuses tokens. */
export const loader = apiRoute({
  POST: operationEndpoint(waiveCriterion, {
    name: "waiveStoryCriterion",
    summary: "Waive a criterion permanently, with a reason. Session only",
    caller: "person",
    body: waiveCriterionBody,
    status: 201,
    refusals: [409],
    input: ({ id, body }) => ({ story_id: id, ...body }),
  }),
});

export const action = loader;
