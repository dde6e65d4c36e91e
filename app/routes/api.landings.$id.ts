import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reportLanding } from "~/nouns/landings/operations.server";
import { reportLandingBody } from "~/wire/landings/contract";

export const loader = apiRoute({
  PUT: operationEndpoint(reportLanding, {
    summary: "Report the progress and result of a merge",
    auth: "bearer",
    body: reportLandingBody,
    refusals: [409, 429],
    input: ({ id, body }) => ({ landing_id: id, ...body }),
  }),
});

export const action = loader;
