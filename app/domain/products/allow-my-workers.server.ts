import { z } from "zod";
import type { AllowMyWorkersInput } from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

const consentSchema = z.object({ product_id: z.string(), workers_allowed: z.boolean() });

/** Whether the caller's own workers take jobs of this product unasked (specification: Agent job). */
export function allowMyWorkers(actor: Actor, input: AllowMyWorkersInput) {
  return callAs(
    actor,
    "allow_my_workers",
    { p_product_id: input.product_id, p_allowed: input.allowed },
    consentSchema,
  );
}
