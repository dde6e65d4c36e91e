import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reportUpkeep } from "~/nouns/upkeep/operations.server";
import { reportUpkeepBody } from "~/wire/upkeep/contract";

export const loader = apiRoute({
  PUT: operationEndpoint(reportUpkeep, {
    summary: "Report the pull request of a file, or why there is none",
    auth: "bearer",
    body: reportUpkeepBody,
    refusals: [409, 429],
    input: ({ id, body }) => ({ upkeep_id: id, ...body }),
  }),
});

export const action = loader;
