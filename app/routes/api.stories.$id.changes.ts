import { apiRoute, endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { getStoryChanges } from "~/nouns/reviews/operations.server";
import { reviewOfStory, storyChangesSchema } from "~/nouns/reviews/story-changes";

/** `GET /api/stories/:id/changes`: what no person has judged of a story, in one diff. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getStoryChanges",
    summary: "Get the unreviewed work of a story in one diff from its base",
    answer: storyChangesSchema,
    handle: async ({ actor, id }) => {
      const { attempts } = await getStoryChanges(actor, { story_id: id });
      return json(reviewOfStory(attempts).changes);
    },
  }),
});
