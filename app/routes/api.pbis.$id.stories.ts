import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { listPbiStories } from "~/nouns/pbis/operations.server";

export const loader = apiRoute({
  GET: operationEndpoint(listPbiStories, { summary: "List the stories of a PBI", input: ({ id }) => ({ pbi_id: id }) }),
});
