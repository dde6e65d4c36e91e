import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { appendJobOutput, getJobOutput } from "~/nouns/agent-jobs/operations.server";
import { appendJobOutputBody, jobOutputQuery } from "~/wire/agent-jobs/job-output";

/** `/api/jobs/:id/output`: workers append their agent's output; people and programs read it. */
export const loader = apiRoute({
  GET: operationEndpoint(getJobOutput, {
    summary: "Read an attempt's output",
    query: jobOutputQuery,
    input: ({ id, query }) => ({ job_id: id, ...query }),
  }),
  POST: operationEndpoint(appendJobOutput, {
    summary: "Append output. Repeated seq are ignored; a lost attempt gets 409",
    auth: "bearer",
    body: appendJobOutputBody,
    status: 202,
    refusals: [409, 429],
    input: ({ id, body }) => ({ job_id: id, ...body }),
  }),
});

export const action = loader;
