import type { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { operation } from "~/nouns/operation.server";
import { productIdInput } from "~/nouns/products/contract";
import { countedRowsSchema, type scoreboardSchema, toRow } from "./scoreboard";

const countFinished = operation("get_scoreboard", productIdInput, countedRowsSchema);

/** Who is good at what in a product: finished tasks by agent and model, over all and by label. */
export async function getScoreboard(
  actor: Actor,
  input: z.input<typeof productIdInput>,
): Promise<z.infer<typeof scoreboardSchema>> {
  const { rows } = await countFinished(actor, input);
  return { rows: rows.map(toRow) };
}
