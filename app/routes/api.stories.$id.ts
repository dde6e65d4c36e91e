import { apiRoute, expectedVersions, operationEndpoint } from "~/http/endpoint.server";
import { getStory, updateStory } from "~/nouns/stories/operations.server";
import { updateStoryInput } from "~/wire/stories/contract";

/** `/api/stories/:id`: reads a story with its tasks and log; changes it. */
export const loader = apiRoute({
  GET: operationEndpoint(getStory, {
    summary: "Get a story with its PBI, sprint, tasks and recent log",
    versioned: "always",
    input: ({ id }) => ({ story_id: id }),
  }),
  PATCH: operationEndpoint(updateStory, {
    summary: "Change a story's texts, code, priority, PBI or labels",
    body: updateStoryInput.omit({ story_id: true, expected_version: true }),
    refusals: [409, 412],
    versioned: "always",
    input: ({ id, body, request }) => ({ ...body, story_id: id, expected_version: expectedVersions(request) }),
  }),
});

export const action = loader;
