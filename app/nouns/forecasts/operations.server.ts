import { z } from "zod";
import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/forecasts/contract";
import { productIdInput } from "~/wire/products/contract";
import { idSchema } from "~/wire/text";

/** Keeps what main's newest changes touched. */
export const saveChangeIndex = operation("save_change_index", wire.changeIndexInput, z.null());

/** What a task probably touches, which running work it meets, and what it probably costs. */
export const getTaskForecast = operation("get_task_forecast", z.object({ task_id: idSchema }), wire.taskForecastSchema);

/** Which running work tasks would meet, by their ids. */
export const getMeets = operation("get_meets", wire.meetsInput, wire.meetsSchema);

/** How good the forecasts of a product's tasks were. */
export const getForecastQuality = operation("get_forecast_quality", productIdInput, wire.forecastQualitySchema);
