import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";
import { addEvidenceBody } from "~/nouns/proof/contract";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";

/** `/api/stories/:id/evidence`: reads and adds evidence for a story's criteria. */
export const loader = apiRoute({
  GET: operationEndpoint(getProof, {
    name: "getStoryEvidence",
    summary: "The criteria of a story, how each stands and what proves it",
    auth: "either",
    id: "story",
    input: ({ id }) => ({ story_id: id }),
  }),
  POST: operationEndpoint(addEvidence, {
    name: "addStoryEvidence",
    summary: "Adds evidence for one criterion: a person's word by session, an agent's by token",
    auth: "either",
    id: "story",
    body: addEvidenceBody,
    status: 201,
    refusals: [409],
    input: ({ id, body }) => ({ story_id: id, ...body }),
  }),
});
export const action = loader;
