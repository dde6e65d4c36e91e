import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { nextUpkeep } from "~/nouns/upkeep/operations.server";
import { nextUpkeepBody } from "~/wire/upkeep/contract";

export const loader = apiRoute({
  POST: operationEndpoint(nextUpkeep, {
    summary: "Claim the next file to bring up to date by pull request",
    auth: "bearer",
    body: nextUpkeepBody,
    refusals: [429],
    input: ({ id, body }) => ({ product_id: id, ...body }),
  }),
});

export const action = loader;
