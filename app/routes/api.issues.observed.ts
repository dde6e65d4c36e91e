import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { observeIssues } from "~/nouns/intake/operations.server";
import { observeIssuesInput } from "~/wire/intake/contract";

export const loader = apiRoute({
  PUT: operationEndpoint(observeIssues, {
    summary: "Add issues of the Git host to Triage. Each is added once; closed ones leave",
    auth: "bearer",
    body: observeIssuesInput,
    refusals: [403, 404, 429],
    onlyNamed: true,
    input: ({ body }) => body,
  }),
});

export const action = loader;
