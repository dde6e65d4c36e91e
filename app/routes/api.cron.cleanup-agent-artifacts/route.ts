import { cleanupAgentArtifacts } from "~/domain/schedules/cleanup-agent-artifacts.server";
import { apiRoute } from "~/http/api-route.server";
import { openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** Deletes old failed and cancelled jobs (specification: POST /api/cron/cleanup-agent-artifacts). */
const route = apiRoute({
  POST: openEndpoint({
    auth: "cron",
    handle: async ({ context }) => json(await cleanupAgentArtifacts(context.services.database)),
  }),
});

export const loader = route.loader;
export const action = route.action;
