import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { reviewJobBody } from "~/wire/reviews/contract";

/** `POST /api/jobs/:id/review`: approves a job's work, or requests changes. */
export const loader = apiRoute({
  POST: operationEndpoint(reviewJob, {
    summary: "Approve an attempt or request changes, with your drafted comments",
    body: reviewJobBody,
    refusals: [409, 429],
    onlyNamed: true,
    input: ({ id, body }) => ({ job_id: id, ...body }),
  }),
});

export const action = loader;
