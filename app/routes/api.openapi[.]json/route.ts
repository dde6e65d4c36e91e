import { apiRoute } from "~/http/api-route.server";
import { openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { openApiDocument } from "./document.server";

/** The HTTP interface as an OpenAPI 3.1 document, made from the schemas that the routes check with. */
const route = apiRoute({
  GET: openEndpoint({
    auth: "none",
    handle: async ({ context: { services } }) =>
      json(openApiDocument(services.version, services.env.appOrigin)),
  }),
});

export const loader = route.loader;
export const action = route.action;
