import { deleteJobComment } from "~/domain/job-reviews/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { requireId } from "~/http/require-id.server";
import { noContent } from "~/http/responses.server";

/** `DELETE /api/jobs/:id/comments/:comment_id`: a draft is taken back. */
const route = apiRoute({
  DELETE: endpoint({
    auth: "either",
    write: true,
    id: "agent job",
    handle: async ({ actor, id, params }) => {
      const comment_id = requireId(params.commentId, "comment");
      await deleteJobComment(actor, { job_id: id, comment_id });
      return noContent({});
    },
  }),
});

export const loader = route.loader;
export const action = route.action;
