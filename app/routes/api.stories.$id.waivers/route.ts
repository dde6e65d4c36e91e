import { waiveCriterionBody } from "~/contract/proof";
import { waiveCriterion } from "~/domain/proof/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `/api/stories/:id/waivers`: a person lets a criterion go, with the reason. Tokens are refused by the operation. */
const route = apiRoute({
  POST: endpoint({
    auth: "either",
    write: true,
    id: "story",
    body: waiveCriterionBody,
    handle: async ({ actor, id, body }) =>
      json(await waiveCriterion(actor, { story_id: id, ...body }), { status: 201 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
