import { z } from "zod";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { answerProgram } from "~/oauth/refusal.server";
import { answerRegistration } from "~/oauth/register.server";

/**
 * Registers a program (docs/oauth.md). Programs POST JSON to /register, where people POST a
 * form: the server front tells them apart (app/server/request-target.ts).
 */
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
