import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reviewJob, undoReview } from "~/nouns/reviews/operations.server";
import { reviewJobBody } from "~/wire/reviews/contract";

/** `/api/jobs/:id/review`: approves a job's work, or requests changes; undoes that. */
export const loader = apiRoute({
  POST: operationEndpoint(reviewJob, {
    summary: "Approve an attempt or request changes, with your drafted comments",
    body: reviewJobBody,
    refusals: [409, 429],
    onlyNamed: true,
    input: ({ id, body }) => ({ job_id: id, ...body }),
  }),
  DELETE: operationEndpoint(undoReview, {
    summary: "Cancel your verdict on an attempt, until `undo_until`",
    status: 204,
    caller: "person",
    refusals: [409],
    input: ({ id }) => ({ job_id: id }),
  }),
});

export const action = loader;
