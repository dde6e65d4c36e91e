import { z } from "zod";
import type { ProductIdInput } from "~/contract/product";
import { type SprintOverview, sprintOverviewSchema } from "~/contract/sprint";
import { type Actor, callAs } from "~/db/rpc.server";

/** Sprints of a product, newest first (specification: Sprint). */
export function listSprints(actor: Actor, input: ProductIdInput): Promise<SprintOverview[]> {
  return callAs(
    actor,
    "list_sprints",
    { p_product_id: input.product_id },
    z.array(sprintOverviewSchema),
  );
}
