import { z } from "zod";
import { apiRoute } from "~/http/api-route.server";
import { openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";

/** The HTTP interface as an OpenAPI 3.1 document, made of what the routes say of themselves. */
export const loader = apiRoute({
  GET: openEndpoint({
    name: "getOpenApi",
    summary: "This document",
    auth: "none",
    answer: z.looseObject({ openapi: z.string() }),
    handle: async ({ context: { services } }) => {
      const { openApiDocument } = await import("./document.server");
      return json(await openApiDocument(services.version, services.env.appOrigin));
    },
  }),
});
export const action = loader;
