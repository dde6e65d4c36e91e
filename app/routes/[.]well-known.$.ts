import { z } from "zod";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { answerMetadata } from "~/oauth/metadata.server";
import { howProgramsSignIn } from "~/server/problems";

/** OAuth metadata for programs (RFC 9728 and 8414), for the origin of the request. */
export const loader = apiRoute({
  GET: openEndpoint({
    name: "getMetadata",
    summary: "Get the OAuth metadata",
    auth: "none",
    answer: z.unknown(),
    handle: async ({ params, context }) => {
      const answer = answerMetadata(context.origin, "GET", `/.well-known/${params["*"] ?? ""}`);
      if (!answer) throw howProgramsSignIn(404);
      answer.headers.set("cache-control", "no-store");
      return answer;
    },
  }),
});
