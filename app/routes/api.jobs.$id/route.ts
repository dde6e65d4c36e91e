import { getAgentJob } from "~/domain/agent-jobs/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `GET /api/jobs/:id`: the job with its attempts and questions. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "agent job",
    handle: async ({ actor, id }) => json(await getAgentJob(actor, { job_id: id })),
  }),
});

export const loader = route.loader;
export const action = route.action;
