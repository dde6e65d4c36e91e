import { ContractError } from "~/contract/errors";
import { deleteJobComment } from "~/domain/job-reviews/delete-job-comment.server";
import { apiRoute, type RouteArgs } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { noContent } from "~/http/responses.server";
import { isCanonicalUuid } from "~/http/uuid";

/** `DELETE /api/jobs/:id/comments/:comment_id`: a draft is taken back. */
const route = apiRoute({
  DELETE: (args: RouteArgs) =>
    endpoint({
      auth: "either",
      write: true,
      id: "agent job",
      handle: async ({ actor, id }) => {
        const commentId = args.params.commentId ?? "";
        if (!isCanonicalUuid(commentId)) throw new ContractError(404, "No such remark.");
        await deleteJobComment(actor, { job_id: id, comment_id: commentId });
        return noContent({});
      },
    })(args),
});

export const loader = route.loader;
export const action = route.action;
