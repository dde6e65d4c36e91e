import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { deleteJobComment } from "~/nouns/reviews/operations.server";
import { canonicalId } from "~/wire/canonical-id";

export const loader = apiRoute({
  DELETE: operationEndpoint(deleteJobComment, {
    summary: "Delete your own draft comment",
    status: 204,
    refusals: [409],
    input: ({ id, params }) => ({ job_id: id, comment_id: canonicalId(params.commentId) }),
  }),
});

export const action = loader;
