import { z } from "zod";
import { type ListReadyInput, type ReadyTask, readyTaskSchema } from "~/contract/dependency";
import { type Actor, callAs, callAsRaw } from "~/db/rpc.server";

/** Tasks of a product that wait for nothing, those of the active sprint first. */
export function listReady(actor: Actor, input: ListReadyInput): Promise<ReadyTask[]> {
  return callAs(actor, "list_ready", listReadyArguments(input), z.array(readyTaskSchema));
}

/** The same, as the JSON text that the database made. */
export function listReadyJson(actor: Actor, input: ListReadyInput): Promise<string> {
  return callAsRaw(actor, "list_ready", listReadyArguments(input));
}

function listReadyArguments({ product_id, limit }: ListReadyInput) {
  return { p_product_id: product_id, p_limit: limit };
}
