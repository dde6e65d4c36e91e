import { z } from "zod";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { answerProgram } from "~/oauth/refusal.server";
import { answerRevocation } from "~/oauth/token.server";

/** Revokes a program's token (docs/oauth.md). */
export const loader = apiRoute({
  POST: openEndpoint({
    name: "revokeToken",
    summary: "Revoke an app's access",
    auth: "none",
    answer: z.unknown(),
    handle: (call) => answerProgram(() => answerRevocation(call)),
  }),
});

export const action = loader;
