import { z } from "zod";
import { apiRoute, endpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";
import { authenticate } from "~/nouns/accounts/operations.server";

/** The HTTP API as an OpenAPI 3.1 document, generated from the routes' declarations. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getOpenApi",
    summary: "Get this document",
    answer: z.looseObject({ openapi: z.string() }),
    handle: async ({ actor, context: { services } }) => {
      await authenticate(actor);
      const { openApiText } = await import("./document.server");
      return jsonText(await openApiText(services.version, services.env.appOrigin));
    },
  }),
});
