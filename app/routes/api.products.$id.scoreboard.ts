import { apiRoute, endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { getScoreboard } from "~/nouns/insights/operations.server";
import { scoreboardSchema } from "~/nouns/insights/scoreboard";

export const loader = apiRoute({
  GET: endpoint({
    name: "getScoreboard",
    summary: "Compare agents and models by the finished tasks of a product",
    answer: scoreboardSchema,
    handle: async ({ actor, id }) => json(await getScoreboard(actor, { product_id: id })),
  }),
});
