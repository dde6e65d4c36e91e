import { madeInThread } from "~/features/diff/show-lines.server";
import { apiRoute, endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { getStoryChanges } from "~/nouns/reviews/operations.server";
import { storyChangesSchema } from "~/nouns/reviews/story-changes";
import { mostShown, pathQuery } from "~/wire/agent-jobs/job-diff";

/** `GET /api/stories/:id/changes`: what no person has judged of a story, in one diff. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getStoryChanges",
    summary: "Get the unreviewed work of a story in one diff from its base",
    query: pathQuery,
    answer: storyChangesSchema,
    handle: async ({ actor, id, query: { path: paths } }) => {
      const [story, { user_id }] = await Promise.all([
        getStoryChanges.json(actor, { story_id: id, paths, most: mostShown }),
        authenticate(actor),
      ]);
      return jsonText(await madeInThread({ story, paths }, user_id));
    },
  }),
});
