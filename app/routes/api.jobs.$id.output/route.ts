import { appendJobOutputBody, jobOutputQuery } from "~/contract/job-output";
import { appendJobOutput, getJobOutput } from "~/domain/agent-jobs/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** `/api/jobs/:id/output`: workers add what their agent says, people and programs read it. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "agent job",
    query: jobOutputQuery,
    handle: async ({ actor, id, query }) =>
      jsonText(await getJobOutput.json(actor, { job_id: id, ...query })),
  }),
  POST: endpoint({
    auth: "bearer",
    write: true,
    id: "agent job",
    body: appendJobOutputBody,
    handle: async ({ actor, id, body }) =>
      jsonText(await appendJobOutput.json(actor, { job_id: id, ...body }), { status: 202 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
