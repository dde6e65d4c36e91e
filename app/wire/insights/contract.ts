import { z } from "zod";
import { costsSchema } from "../agent-jobs/contract";
import { forecastSchema } from "../budgets/contract";
import { reviewTimesSchema } from "../reviews/contract";
import { dateSchema, idSchema, requiredText } from "../text";

/** Sums over jobs that reported tokens. `unpriced_jobs` counts jobs whose model has no price. */
const numbersSchema = z.object({
  jobs: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  costs: costsSchema,
  unpriced_jobs: z.int(),
  estimated: z.boolean(),
});
export type UsageNumbers = z.infer<typeof numbersSchema>;

/** Why the Git host or the merge queue returned work. */
const returnKinds = [
  "ci_failed",
  "changes_requested",
  "review_comment",
  "conflict",
  "closed",
  "landing_conflict",
  "landing_test_failed",
  "landing_refused",
] as const;
export type ReturnKind = (typeof returnKinds)[number];

const nullableText = z.string().nullable();

/** The tasks of a sprint at the end of each day: not done, started and not done, and all. */
export const burndownSchema = z.array(
  z.object({ date: z.string(), remaining: z.int(), started: z.int(), total: z.int() }),
);

/** Burn-down from the recorded history, token usage and cost (specification: Agent job; Model price). */
export const insightsSchema = z.object({
  product_id: z.string(),
  sprint: z
    .object({
      id: z.string(),
      code: z.string(),
      sprint_goal: z.string(),
      status: z.string(),
      start_date: nullableText,
      end_date: nullableText,
      started_at: nullableText,
      completed_at: nullableText,
    })
    .nullable(),
  burndown: burndownSchema,
  totals: numbersSchema,
  by_model: z.array(numbersSchema.extend({ model_id: nullableText })),
  by_day: z.array(numbersSchema.extend({ date: z.string() })),
  by_day_model: z.array(z.object({ date: z.string(), model_id: nullableText, currency: z.string(), cost: z.number() })),
  /** All products of the caller that had costs. */
  by_product: z.array(z.object({ product_id: z.string(), code: z.string(), name: z.string(), costs: costsSchema })),
  /** Tasks done in the last 90 days, each from its first start to its last end. */
  cycle_times: z.array(
    z.object({
      task_id: z.string(),
      code: z.string(),
      title: z.string(),
      started_at: z.string(),
      finished_at: z.string(),
    }),
  ),
  /** Last 90 days: time from done to main, and how often work returned to its agent or a person was asked. */
  landing: z.object({
    landed: z.int(),
    median_seconds: z.int().nullable(),
    longest_seconds: z.int().nullable(),
    returns: z.array(z.object({ kind: z.enum(returnKinds), returned: z.int(), asked: z.int() })),
  }),
  review_times: reviewTimesSchema,
  by_sprint: z.array(numbersSchema.extend({ sprint_id: nullableText, sprint_code: nullableText })),
  by_story: z.array(
    numbersSchema.extend({ story_id: nullableText, story_code: nullableText, story_title: nullableText }),
  ),
  forecast: forecastSchema,
});
export type Insights = z.infer<typeof insightsSchema>;

export const getInsightsInput = z.object({ product_id: idSchema, sprint_id: idSchema.optional() });

const number = z.number().nullable();

/** What settled stories cost in one currency. Without a currency amounts are tokens; few acceptances say nothing of one. */
const costSchema = z.object({
  currency: nullableText,
  settled: z.int(),
  accepted: z.int(),
  /** Of `accepted`: those that can still be taken back. */
  accepted_so_far: z.int(),
  cost: number,
  tokens: z.number(),
  per_accepted: number,
  median: number,
  low: number,
  high: number,
  not_accepted_share: number,
  rounds: number,
  too_few: z.boolean(),
  /** Whether more than a tenth is estimated. */
  estimated: z.boolean(),
});
export type Cost = z.infer<typeof costSchema>;

/** `key` is the agent, label or month; `several` for what has no one place. */
const costRowSchema = z.object({ key: nullableText, model: nullableText, ...costSchema.shape });
export type CostRow = z.infer<typeof costRowSchema>;

export const costGroups = ["agent", "label", "month"] as const;

export const costsAnswerSchema = z.object({
  product_id: z.string(),
  from: z.string(),
  to: z.string(),
  by: z.enum(costGroups),
  rows: z.array(costRowSchema),
  total: z.array(costSchema),
});
export type CostsAnswer = z.infer<typeof costsAnswerSchema>;

export const costsQuery = z.object({
  from: dateSchema.optional().describe("First day, UTC; without it 90 days"),
  to: dateSchema.optional().describe("Last day, UTC; without it today"),
  by: z.enum(costGroups).optional(),
});
export const getCostsInput = costsQuery.extend({ product_id: idSchema });

/** Prices per one million tokens (specification: Model price). */
export const modelPriceSchema = z.object({
  model_id: z.string(),
  input_per_million: z.number(),
  output_per_million: z.number(),
  cache_read_per_million: z.number(),
  cache_write_per_million: z.number(),
  currency: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** `shipped` is the month of Backloom's own price list; null for prices set by an administrator. */
const listedPriceSchema = modelPriceSchema.extend({ shipped: z.string().nullable() });
export type ListedPrice = z.infer<typeof listedPriceSchema>;

export const modelPriceListSchema = z.object({ prices: z.array(listedPriceSchema) });

const price = z.number().min(0).max(1_000_000).optional();

/** Without any price, the model's row is removed. */
export const setModelPriceInput = z.object({
  model_id: requiredText(200),
  input_per_million: price,
  output_per_million: price,
  cache_read_per_million: price,
  cache_write_per_million: price,
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "Must be three capital letters.")
    .optional(),
});

export const setModelPriceAnswerSchema = z.union([
  modelPriceSchema,
  z.object({ model_id: z.string(), removed: z.boolean() }),
]);
