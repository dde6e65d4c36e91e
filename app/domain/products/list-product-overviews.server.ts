import { z } from "zod";
import { type ProductOverview, productOverviewSchema } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** The products on the dashboard, with role and counts. */
export function listProductOverviews(
  actor: Actor,
  input: { archived?: boolean } = {},
): Promise<ProductOverview[]> {
  return callAs(
    actor,
    "list_product_overviews",
    { p_archived: input.archived },
    z.array(productOverviewSchema),
  );
}
