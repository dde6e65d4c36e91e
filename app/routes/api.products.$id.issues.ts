import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getIssueLabel } from "~/nouns/intake/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(getIssueLabel, {
    summary: "Get the label of issues that are added to Triage",
    input: ({ id }) => ({ product_id: id }),
  }),
});
