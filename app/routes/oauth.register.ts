import { z } from "zod";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { answerProgram } from "~/oauth/refusal.server";
import { answerRegistration } from "~/oauth/register.server";

/** docs/oauth.md. Programs POST JSON to /register, people a form: app/server/request-target.ts separates them. */
export const loader = apiRoute({
  POST: openEndpoint({
    name: "registerClient",
    summary: "Register an OAuth client",
    auth: "none",
    answer: z.unknown(),
    handle: (call) => answerProgram(() => answerRegistration(call)),
  }),
});

export const action = loader;
