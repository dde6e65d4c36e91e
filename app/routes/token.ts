import { z } from "zod";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { answerProgram } from "~/oauth/refusal.server";
import { answerTokenRequest } from "~/oauth/token.server";

/** Issues tokens to a program (docs/oauth.md). */
export const loader = apiRoute({
  POST: openEndpoint({
    name: "getTokens",
    summary: "Exchange a code or refresh token for tokens",
    auth: "none",
    answer: z.unknown(),
    handle: (call) => answerProgram(() => answerTokenRequest(call)),
  }),
});

export const action = loader;
