import { type SearchInput, type SearchResult, searchResultSchema } from "~/contract/search";
import { type Actor, callAs } from "~/db/rpc.server";

/** Full text and code search over what the caller reaches. */
export function search(actor: Actor, input: SearchInput): Promise<SearchResult> {
  return callAs(
    actor,
    "search",
    {
      p_query: input.query,
      p_product_id: input.product_id,
      p_kind: input.kind,
      p_limit: input.limit,
      p_cursor: input.cursor,
    },
    searchResultSchema,
  );
}
