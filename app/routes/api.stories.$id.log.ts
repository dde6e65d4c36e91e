import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { appendStoryLog } from "~/nouns/stories/operations.server";
import { storyLogBody } from "~/wire/stories/contract";

export const loader = apiRoute({
  POST: operationEndpoint(appendStoryLog, {
    summary: "Add an entry to a story's log",
    auth: "bearer",
    body: storyLogBody,
    status: 201,
    refusals: [429],
    input: ({ id, body }) => ({ story_id: id, ...body }),
  }),
});

export const action = loader;
