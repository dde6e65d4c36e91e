import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reviewPlan } from "~/nouns/agent-jobs/operations.server";
import { reviewPlanBody } from "~/wire/agent-jobs/contract";

export const loader = apiRoute({
  POST: operationEndpoint(reviewPlan, {
    summary: "Approve an agent's plan, or request changes. Session only",
    body: reviewPlanBody,
    refusals: [409, 429],
    onlyNamed: true,
    input: ({ id, body }) => ({ job_id: id, ...body }),
  }),
});

export const action = loader;
