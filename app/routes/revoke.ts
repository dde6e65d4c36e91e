import { z } from "zod";
import { apiRoute } from "~/http/api-route.server";
import { openEndpoint } from "~/http/endpoint.server";
import { answerProgram } from "~/oauth/refusal.server";
import { answerRevocation } from "~/oauth/token.server";

/** Revokes a program's token (docs/agents.md, Signing in over OAuth). */
export const loader = apiRoute({
  POST: openEndpoint({
    name: "revokeToken",
    summary: "A program gives its access back",
    auth: "none",
    answer: z.unknown(),
    handle: (call) => answerProgram(() => answerRevocation(call)),
  }),
});
export const action = loader;
