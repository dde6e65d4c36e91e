import { addEvidenceBody } from "~/contract/proof";
import { addEvidenceJson } from "~/domain/proof/add-evidence.server";
import { getStoryProofJson } from "~/domain/proof/get-story-proof.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** `/api/stories/:id/evidence`: what proves the criteria of a story. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "story",
    handle: async ({ actor, id }) => jsonText(await getStoryProofJson(actor, { story_id: id })),
  }),
  POST: endpoint({
    auth: "either",
    write: true,
    id: "story",
    body: addEvidenceBody,
    handle: async ({ actor, id, body }) =>
      jsonText(await addEvidenceJson(actor, { story_id: id, ...body }), { status: 201 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
