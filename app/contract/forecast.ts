import { z } from "zod";
import { idSchema } from "./text";

/** At 20 and 80 %, from so many finished tasks. */
const spreadSchema = z.object({ low: z.number(), high: z.number(), finished: z.int() });

/**
 * What the open tasks of a sprint will take (or one task, without a sprint): working time of agents, tokens and money.
 * Null with fewer than five finished tasks.
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
  /** The middle of the estimates beside the middle of what the work took. */
  estimates: z.array(
    z.object({
      size: z.enum(["S", "M", "L", "XL"]),
      model_id: z.string().nullable(),
      tasks: z.int(),
      estimated_minutes: z.number(),
      actual_minutes: z.number(),
    }),
  ),
  /** Tasks that took less than half or more than twice their estimate, the furthest first. */
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
