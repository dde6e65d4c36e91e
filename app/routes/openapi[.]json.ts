import { z } from "zod";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** The same document as `GET /api/openapi.json`, without a token. */
export const loader = apiRoute({
  GET: openEndpoint({
    name: "getOpenOpenApi",
    summary: "Get the OpenAPI document without signing in",
    auth: "none",
    answer: z.looseObject({ openapi: z.string() }),
    handle: async ({ context: { services } }) => {
      const { openApiText } = await import("~/routes/api.openapi[.]json/document.server");
      return jsonText(await openApiText(services.version, services.env.appOrigin));
    },
  }),
});
