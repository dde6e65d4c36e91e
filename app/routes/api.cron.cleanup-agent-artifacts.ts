import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { cleanedArtifactsSchema, cleanupAgentArtifacts } from "~/nouns/schedules/operations.server";

export const loader = apiRoute({
  POST: openEndpoint({
    name: "cleanupAgentArtifacts",
    summary: "Delete failed and cancelled jobs older than 7 days",
    auth: "cron",
    answer: cleanedArtifactsSchema,
    handle: async ({ context }) => json(await cleanupAgentArtifacts(context.services.database)),
  }),
});

export const action = loader;
