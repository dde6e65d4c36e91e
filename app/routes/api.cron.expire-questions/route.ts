import { expireQuestions } from "~/domain/schedules/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** Expires open questions and pending pairings (specification: POST /api/cron/expire-questions). */
const route = apiRoute({
  POST: openEndpoint({
    auth: "cron",
    handle: async ({ context }) => json(await expireQuestions(context.services.database)),
  }),
});

export const loader = route.loader;
export const action = route.action;
