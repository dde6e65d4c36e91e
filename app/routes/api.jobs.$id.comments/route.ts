import { addJobCommentBody } from "~/contract/job-review";
import { addJobComment } from "~/domain/job-reviews/add-job-comment.server";
import { listJobComments } from "~/domain/job-reviews/list-job-comments.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** `/api/jobs/:id/comments`: comments on lines. One's own are drafts until they are sent with a review. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "agent job",
    handle: async ({ actor, id }) => json(await listJobComments(actor, { job_id: id })),
  }),
  POST: endpoint({
    auth: "either",
    write: true,
    id: "agent job",
    body: addJobCommentBody,
    handle: async ({ actor, id, body }) =>
      json(await addJobComment(actor, { job_id: id, ...body }), { status: 201 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
