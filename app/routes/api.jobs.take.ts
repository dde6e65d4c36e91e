import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { takeAgentJob } from "~/nouns/agent-jobs/operations.server";
import { takeAgentJobInput } from "~/wire/workers/contract";

export const loader = apiRoute({
  POST: operationEndpoint(takeAgentJob, {
    name: "takeJob",
    summary: "Take a task's job into a terminal",
    body: takeAgentJobInput,
    refusals: [403, 404, 409],
    onlyNamed: true,
    input: ({ body }) => body,
  }),
});

export const action = loader;
