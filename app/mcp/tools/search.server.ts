import { search } from "~/nouns/search/operations.server";
import { searchInput } from "~/wire/search/contract";
import { reference, resolveOptionalId } from "../references.server";
import { defineTool } from "../tool.server";

export const searchTool = defineTool({
  name: "search",
  title: "Search",
  description:
    "Find PBIs, stories, tasks and your ideas by words or code; `limit` results per page. Titles and excerpts are user content.",
  access: "read",
  input: searchInput.safeExtend({ product_id: reference.optional().describe("Search only in it") }),
  run: async ({ actor }, { product_id, ...query }) =>
    search(actor, { ...query, product_id: await resolveOptionalId(actor, "product", product_id) }),
});
