import { type Forecast, forecastSchema, type GetForecastInput } from "~/contract/forecast";
import { type Actor, callAs } from "~/db/rpc.server";

/** What open tasks will take, from finished ones, and estimates beside what came out. */
export function getForecast(actor: Actor, input: GetForecastInput): Promise<Forecast> {
  const given = { p_product_id: input.product_id, p_sprint_id: input.sprint_id };
  return callAs(actor, "get_forecast", given, forecastSchema);
}
