import { type CreatePbiInput, type Pbi, pbiSchema } from "~/contract/pbi";
import { type Actor, callAs } from "~/db/rpc.server";

/** Creates a PBI, last in its priority (specification: PBI, Entity codes). */
export function createPbi(actor: Actor, input: CreatePbiInput): Promise<Pbi> {
  return callAs(
    actor,
    "create_pbi",
    {
      p_product_id: input.product_id,
      p_title: input.title,
      p_description: input.description,
      p_code: input.code,
      p_priority: input.priority,
    },
    pbiSchema,
  );
}
