import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reviewStory, undoStoryReview } from "~/nouns/reviews/operations.server";
import { reviewStoryBody } from "~/wire/reviews/contract";

/** `/api/stories/:id/review`: one verdict for several attempts of a story; undoes that. */
export const loader = apiRoute({
  POST: operationEndpoint(reviewStory, {
    summary: "Approve several attempts of a story, or request changes of them, all or none",
    body: reviewStoryBody,
    refusals: [409, 429],
    onlyNamed: true,
    input: ({ id, body }) => ({ story_id: id, ...body }),
  }),
  DELETE: operationEndpoint(undoStoryReview, {
    summary: "Cancel your last verdict on a story, until `undo_until`",
    status: 204,
    caller: "person",
    refusals: [409],
    input: ({ id }) => ({ story_id: id }),
  }),
});

export const action = loader;
