import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(getAgentJob, {
    name: "getJob",
    summary: "Get a job with its attempts and questions",
    onlyNamed: true,
    input: ({ id }) => ({ job_id: id }),
  }),
});
