import {
  type SetModelPriceAnswer,
  type SetModelPriceInput,
  setModelPriceAnswerSchema,
} from "~/contract/insight";
import { type Actor, callAs } from "~/db/rpc.server";

/** Sets the price of a model, or removes it; administrators only (specification: Model price). */
export function setModelPrice(
  actor: Actor,
  input: SetModelPriceInput,
): Promise<SetModelPriceAnswer> {
  return callAs(
    actor,
    "set_model_price",
    {
      p_model_id: input.model_id,
      p_input_per_million: input.input_per_million,
      p_output_per_million: input.output_per_million,
      p_cache_read_per_million: input.cache_read_per_million,
      p_cache_write_per_million: input.cache_write_per_million,
      p_currency: input.currency,
    },
    setModelPriceAnswerSchema,
  );
}
