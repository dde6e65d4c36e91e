import { z } from "zod";
import { apiRoute } from "~/http/api-route.server";
import { openEndpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";

/** The HTTP interface as an OpenAPI 3.1 document, made of what the routes say of themselves. */
export const loader = apiRoute({
  GET: openEndpoint({
    name: "getOpenApi",
    summary: "This document",
    auth: "none",
    answer: z.looseObject({ openapi: z.string() }),
    handle: async ({ context: { services } }) => {
      const { openApiText } = await import("./document.server");
      return jsonText(await openApiText(services.version, services.env.appOrigin));
    },
  }),
});
export const action = loader;
