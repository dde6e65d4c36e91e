import { reportMergedBody } from "~/contract/merged-job";
import { reportMerged } from "~/domain/agent-jobs/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `POST /api/jobs/:id/merged`: a worker found the commit of a job on the main branch. */
const route = apiRoute({
  POST: endpoint({
    auth: "bearer",
    write: true,
    id: "agent job",
    body: reportMergedBody,
    handle: async ({ actor, id, body }) => json(await reportMerged(actor, { job_id: id, ...body })),
  }),
});

export const loader = route.loader;
export const action = route.action;
