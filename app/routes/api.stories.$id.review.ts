import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reviewStory } from "~/nouns/reviews/operations.server";
import { reviewStoryBody } from "~/wire/reviews/contract";

/** `POST /api/stories/:id/review`: one verdict for several attempts of a story. */
export const loader = apiRoute({
  POST: operationEndpoint(reviewStory, {
    summary: "Approve several attempts of a story, or request changes of them, all or none",
    body: reviewStoryBody,
    refusals: [409, 429],
    onlyNamed: true,
    input: ({ id, body }) => ({ story_id: id, ...body }),
  }),
});

export const action = loader;
