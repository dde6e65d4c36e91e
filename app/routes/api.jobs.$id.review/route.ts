import { reviewJobBody } from "~/contract/job-review";
import { reviewJob } from "~/domain/job-reviews/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `POST /api/jobs/:id/review`: approves the work of a job, or requests changes. */
const route = apiRoute({
  POST: endpoint({
    auth: "either",
    write: true,
    id: "agent job",
    body: reviewJobBody,
    handle: async ({ actor, id, body }) => json(await reviewJob(actor, { job_id: id, ...body })),
  }),
});

export const loader = route.loader;
export const action = route.action;
