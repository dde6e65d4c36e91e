import { z } from "zod";
import { costsSchema } from "~/nouns/agent-jobs/contract";
import { agentQuestionSchema } from "~/nouns/questions/contract";
import { runWaitsSchema } from "~/nouns/sprint-runs/contract";

const id = z.string();
const moment = z.string();

export const runSummary = z.object({
  id,
  status: z.string(),
  started_at: moment.nullable(),
  created_at: moment,
  waits_for: runWaitsSchema,
  job_statuses: z.array(z.string()),
});

export const dashboardSchema = z.object({
  products: z.array(
    z.object({
      id,
      code: z.string(),
      name: z.string(),
      description: z.string(),
      is_owner: z.boolean(),
      open_stories: z.number(),
      active_sprint: z
        .object({
          id,
          code: z.string(),
          sprint_goal: z.string(),
          end_date: z.string().nullable(),
          task_statuses: z.array(z.string()),
        })
        .nullable(),
      run: runSummary.nullable(),
    }),
  ),
  /** Products that someone added the caller to, until the caller decides whether their workers may work there. */
  added_to: z.array(
    z.object({ id, code: z.string(), name: z.string(), owner_username: z.string().nullable() }),
  ),
  questions: z.array(agentQuestionSchema),
  reviews: z.array(
    z.object({
      id,
      code: z.string(),
      title: z.string(),
      product_name: z.string(),
      changed_at: moment,
    }),
  ),
  costs_today: costsSchema,
  done_today: z.number(),
  workers_online: z.number(),
});
export type DashboardData = z.infer<typeof dashboardSchema>;
