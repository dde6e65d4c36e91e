import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { observePulls } from "~/nouns/pulls/operations.server";
import { observePullsInput } from "~/wire/pulls/contract";

export const loader = apiRoute({
  PUT: operationEndpoint(observePulls, {
    summary: "Report the state of pull requests; each event is handled once",
    auth: "bearer",
    body: observePullsInput,
    refusals: [403, 404, 429],
    onlyNamed: true,
    input: ({ body }) => body,
  }),
});

export const action = loader;
