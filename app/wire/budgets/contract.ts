import { z } from "zod";
import { idSchema } from "../text";

export const budgetScopes = ["product", "sprint", "run", "task"] as const;
export const budgetPeriods = ["day", "week", "month"] as const;

/** `tokens` (fresh input, output and cache write together) or a currency. */
export const budgetUnitSchema = z
  .string()
  .regex(/^(tokens|[A-Z]{3})$/, "Must be tokens, or a currency as three capital letters.");

export const budgetAmountSchema = z.number().positive().max(1_000_000_000_000);

/** A budget and its use. `left` is neither spent nor reserved; `overshoot` is the most ever spent beyond the amount. */
export const budgetSchema = z.object({
  id: z.string(),
  product_id: z.string(),
  scope: z.enum(budgetScopes),
  period: z.enum(budgetPeriods).nullable(),
  sprint_id: z.string().nullable(),
  sprint_run_id: z.string().nullable(),
  task_id: z.string().nullable(),
  name: z.string(),
  unit: z.string(),
  amount: z.number(),
  spent: z.number(),
  reserved: z.number(),
  at_work: z.int(),
  left: z.number(),
  overshoot: z.number(),
  /** Finished jobs under the budget whose agents reported no usage. */
  unreported_jobs: z.int(),
  state: z.enum(["open", "warning", "reached"]),
  from_at: z.string().nullable(),
  until_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Budget = z.infer<typeof budgetSchema>;

/** Settings for all budgets of a product. The expected values apply until three tasks have finished. */
export const budgetSettingsSchema = z.object({
  time_zone: z.string(),
  unreported: z.enum(["allow", "refuse"]),
  expected_tokens: z.number(),
  expected_cost: z.number(),
});
export type BudgetSettings = z.infer<typeof budgetSettingsSchema>;

export const budgetListSchema = z.object({
  product_id: z.string(),
  /** Whether the caller may set budgets. */
  may_set: z.boolean(),
  settings: budgetSettingsSchema,
  budgets: z.array(budgetSchema),
});
export type BudgetList = z.infer<typeof budgetListSchema>;

/** Without a filter: budgets that apply now. With a run, sprint or task: every budget it falls under. */
export const budgetsQuery = z.object({
  sprint_run_id: idSchema.optional(),
  sprint_id: idSchema.optional(),
  task_id: idSchema.optional(),
});
export const getBudgetsInput = budgetsQuery.extend({ product_id: idSchema });

/** A product has at most one budget per scope, target, period and unit. */
export const budgetBody = z.object({
  scope: z.enum(budgetScopes),
  period: z.enum(budgetPeriods).optional(),
  target_id: idSchema.optional().describe("The sprint, run or task; none for a product"),
  unit: budgetUnitSchema,
  amount: budgetAmountSchema,
});
export const setBudgetInput = budgetBody.extend({ product_id: idSchema });

export const deleteBudgetInput = z.object({ product_id: idSchema, budget_id: idSchema });

export const budgetSettingsBody = z
  .object({
    time_zone: z.string().min(1).max(64),
    unreported: z.enum(["allow", "refuse"]),
    expected_tokens: z.int().positive().max(1_000_000_000_000),
    expected_cost: z.number().positive().max(1_000_000),
  })
  .partial();
export const setBudgetSettingsInput = budgetSettingsBody.extend({ product_id: idSchema });

export const stopAtSchema = z.object({ unit: budgetUnitSchema, amount: budgetAmountSchema });

const rangeSchema = z.object({ low: z.number(), high: z.number() });

/** What a task usually takes, from whole finished tasks with all their attempts; nothing below eight. */
export const estimateSchema = z.object({
  cost: rangeSchema.extend({ currency: z.string() }).nullable(),
  tokens: rangeSchema.nullable(),
  minutes: rangeSchema.nullable(),
  of: z.int(),
  too_few: z.boolean(),
  /** For how many of the last fifty tasks such a range has held, and how many there were. */
  held: z.int(),
  held_of: z.int(),
});

/** A limit for each task of a start, which becomes the task's budget. */
export const ceilingSchema = z.union([
  z.object({
    amount: z.number().positive(),
    currency: z.string().regex(/^[A-Z]{3}$/, "Must be three capital letters."),
  }),
  z.object({ tokens: z.number().positive() }),
]);
export type Ceiling = z.infer<typeof ceilingSchema>;

/** 20th and 80th percentile, and the number of finished tasks behind them. */
const spreadSchema = z.object({ low: z.number(), high: z.number(), finished: z.int() });

/** Of a sprint's open tasks or of one task. Spreads are null with fewer than five finished tasks. */
export const forecastSchema = z.object({
  product_id: z.string(),
  sprint_id: z.string().nullable(),
  tasks: z.int(),
  finished: z.int(),
  too_few: z.boolean(),
  seconds: spreadSchema.nullable(),
  tokens: spreadSchema.nullable(),
  costs: z.array(spreadSchema.extend({ currency: z.string() })),
  estimate: estimateSchema,
  ceiling: ceilingSchema,
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
export const getForecastInput = forecastQuery.extend({
  product_id: idSchema,
  task_ids: z.array(idSchema).max(500).optional(),
});
