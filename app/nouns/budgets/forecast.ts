import { z } from "zod";
import { idSchema } from "~/contract/text";

/** 20th and 80th percentile, and the number of finished tasks behind them. */
const spreadSchema = z.object({ low: z.number(), high: z.number(), finished: z.int() });

/**
 * Expected agent working time, tokens and cost of a sprint's open tasks or, without a sprint, of one task. Spreads are
 * null with fewer than five finished tasks.
 */
export const forecastSchema = z.object({
  product_id: z.string(),
  sprint_id: z.string().nullable(),
  tasks: z.int(),
  finished: z.int(),
  too_few: z.boolean(),
  seconds: spreadSchema.nullable(),
  tokens: spreadSchema.nullable(),
  costs: z.array(spreadSchema.extend({ currency: z.string() })),
  /** Median estimate and median actual time. */
  estimates: z.array(
    z.object({
      size: z.enum(["S", "M", "L", "XL"]),
      model_id: z.string().nullable(),
      tasks: z.int(),
      estimated_minutes: z.number(),
      actual_minutes: z.number(),
    }),
  ),
  /** Tasks that took less than half or more than twice their estimate, largest deviation first. */
  surprises: z.array(
    z.object({
      task_id: z.string(),
      task_code: z.string(),
      task_title: z.string(),
      model_id: z.string().nullable(),
      estimated_minutes: z.number(),
      actual_minutes: z.number(),
    }),
  ),
});
export type Forecast = z.infer<typeof forecastSchema>;

export const forecastQuery = z.object({ sprint_id: idSchema.optional() });
export const getForecastInput = forecastQuery.extend({ product_id: idSchema });
