import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { startRun } from "~/nouns/sprint-runs/operations.server";
import { startRunInput } from "~/wire/sprint-runs/contract";

export const loader = apiRoute({
  POST: operationEndpoint(startRun, {
    summary: "Start a run of task_ids, or of the remaining tasks of story_id",
    body: startRunInput,
    status: 201,
    refusals: [403, 404, 409, 429],
    onlyNamed: true,
    input: ({ body }) => body,
  }),
});

export const action = loader;
