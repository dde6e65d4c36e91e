import { type ModelPriceList, modelPriceListSchema } from "~/contract/insight";
import { type Actor, callAs } from "~/db/rpc.server";

/** Prices of all models (specification: Model price). */
export function listModelPrices(actor: Actor): Promise<ModelPriceList> {
  return callAs(actor, "list_model_prices", {}, modelPriceListSchema);
}
