import { listJobComments } from "~/features/review/list-comments.server";
import { apiRoute, endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import { addJobCommentBody, jobCommentSchema, jobCommentsSchema } from "~/wire/reviews/contract";

/** `/api/jobs/:id/comments`: comments on lines. The caller's are drafts until sent with a review. */
export const loader = apiRoute({
  GET: endpoint({
    name: "listJobComments",
    summary: "List reviews and line comments of a job, and your own drafts",
    answer: jobCommentsSchema,
    handle: async ({ actor, id }) => json(await listJobComments(actor, { job_id: id })),
  }),
  POST: endpoint({
    name: "addJobComment",
    summary: "Draft a line comment, sent with your next review",
    body: addJobCommentBody,
    answer: jobCommentSchema,
    status: 201,
    refusals: [409, 429],
    handle: async ({ actor, id, body }) => json(await addJobComment(actor, { job_id: id, ...body }), { status: 201 }),
  }),
});

export const action = loader;
