import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { proposeFollowUp } from "~/nouns/intake/operations.server";
import { followUpBody } from "~/wire/intake/contract";

export const loader = apiRoute({
  POST: operationEndpoint(proposeFollowUp, {
    summary: "Propose a story for another repository. It waits in triage",
    auth: "bearer",
    body: followUpBody,
    status: 201,
    refusals: [409, 429],
    input: ({ id, body }) => ({ ...body, job_id: id }),
  }),
});

export const action = loader;
