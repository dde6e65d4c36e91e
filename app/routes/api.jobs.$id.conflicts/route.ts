import { conflictLimits, reportJobConflictBody } from "~/contract/job-conflict";
import { reportJobConflict } from "~/domain/agent-jobs/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `POST /api/jobs/:id/conflicts`: work that does not merge goes back to whoever can mend it. */
const route = apiRoute({
  POST: endpoint({
    auth: "bearer",
    write: true,
    id: "agent job",
    body: reportJobConflictBody,
    bodyLimit: conflictLimits.body,
    handle: async ({ actor, id, body }) =>
      json(await reportJobConflict(actor, { job_id: id, ...body })),
  }),
});

export const loader = route.loader;
export const action = route.action;
