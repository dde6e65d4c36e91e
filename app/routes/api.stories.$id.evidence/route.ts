import { addEvidenceBody } from "~/contract/proof";
import { addEvidence, getProof } from "~/domain/proof/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** `/api/stories/:id/evidence`: what proves the criteria of a story. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "story",
    handle: async ({ actor, id }) => jsonText(await getProof.json(actor, { story_id: id })),
  }),
  POST: endpoint({
    auth: "either",
    write: true,
    id: "story",
    body: addEvidenceBody,
    handle: async ({ actor, id, body }) =>
      jsonText(await addEvidence.json(actor, { story_id: id, ...body }), { status: 201 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
