import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";
import { addEvidenceBody } from "~/wire/proof/contract";

/** `/api/stories/:id/evidence`: reads and adds evidence for a story's criteria. */
export const loader = apiRoute({
  GET: operationEndpoint(getProof, {
    name: "getStoryEvidence",
    summary: "List a story's criteria with their state and evidence",
    input: ({ id }) => ({ story_id: id }),
  }),
  POST: operationEndpoint(addEvidence, {
    name: "addStoryEvidence",
    summary: "Add evidence for one criterion. By session it counts as a person's, by token as an agent's",
    body: addEvidenceBody,
    status: 201,
    refusals: [409],
    input: ({ id, body }) => ({ story_id: id, ...body }),
  }),
});

export const action = loader;
