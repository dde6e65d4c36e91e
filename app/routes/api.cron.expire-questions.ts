import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { expiredQuestionsSchema, expireQuestions } from "~/nouns/schedules/operations.server";

export const loader = apiRoute({
  POST: openEndpoint({
    name: "expireQuestions",
    summary: "Expire overdue questions and pairings",
    auth: "cron",
    answer: expiredQuestionsSchema,
    handle: async ({ context }) => json(await expireQuestions(context.services.database)),
  }),
});

export const action = loader;
