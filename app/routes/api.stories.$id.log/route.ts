import { storyLogBody } from "~/contract/story-log";
import { appendStoryLog } from "~/domain/stories/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** Adds an entry to the log of a story (specification: POST /api/stories/:id/log). */
const route = apiRoute({
  POST: endpoint({
    auth: "bearer",
    write: true,
    id: "story",
    body: storyLogBody,
    handle: async ({ actor, id, body }) =>
      jsonText(await appendStoryLog.json(actor, { story_id: id, ...body }), { status: 201 }),
  }),
});

export const loader = route.loader;
export const action = route.action;
