import { z } from "zod";
import { beginningSchema, freshStartSchema } from "../agent-jobs/beginning";
import { agentJobDetailSchema, agentJobSchema, costsSchema, whyNotMovingSchema } from "../agent-jobs/contract";
import { budgetListSchema, forecastSchema } from "../budgets/contract";
import { dependenciesSchema, dependencyKinds, runOrderSchema } from "../dependencies/contract";
import { doingSchema } from "../events";
import { listedFileSchema } from "../files/contract";
import { burndownSchema } from "../insights/contract";
import { labelSchema } from "../labels/contract";
import { pbiSchema } from "../pbis/contract";
import { previewSchema } from "../previews/contract";
import { memberRoles, productSchema } from "../products/contract";
import { pullSchema } from "../pulls/contract";
import { agentQuestionSchema } from "../questions/contract";
import { jobReviewSchema, reviewTimesSchema, storedCommentSchema } from "../reviews/contract";
import { savedViewSchema } from "../saved-views/contract";
import { preflightSchema, runWaitsSchema, sprintRunDetailSchema, sprintRunIdInput } from "../sprint-runs/contract";
import { sprintIdInput, sprintSchema } from "../sprints/contract";
import { storyLogSchema, storySchema, storyWithWhoSchema } from "../stories/contract";
import { taskDetailSchema, taskSchema } from "../tasks/contract";
import { idSchema } from "../text";

/** What pages read in one call each (`supabase/schemas/pages`): parts of the nouns' own shapes, and what only the page shows. */
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
  archived: z.array(z.object({ id, code: z.string(), name: z.string(), archived_at: z.string() })),
  /** Products that someone added the caller to, until the caller decides whether their workers may work there. */
  added_to: z.array(z.object({ id, code: z.string(), name: z.string(), owner_username: z.string().nullable() })),
  questions: z.array(agentQuestionSchema),
  /** In the inbox's order, with the job that waits for a verdict; null if a person moved the task to review. */
  reviews: z.array(
    z.object({
      id,
      code: z.string(),
      title: z.string(),
      product_name: z.string(),
      changed_at: moment,
      job_id: id.nullable(),
    }),
  ),
  /** All that is in the inbox. */
  waiting: z.number(),
  costs_today: costsSchema,
  done_today: z.number(),
  workers_online: z.number(),
});
export type DashboardData = z.infer<typeof dashboardSchema>;

const coded = { id: true, code: true, title: true } as const;

const sprintNameSchema = sprintSchema.pick({ id: true, code: true, status: true });

const namedUser = z.object({ id, username: z.string() });

export const shellInput = z.object({ active_product_id: z.string().nullable() });

export const shellSchema = z.object({
  products: z.array(z.object({ id, code: z.string(), name: z.string(), role: z.enum(memberRoles) })),
  active_sprint_id: id.nullable(),
  inbox: z.number(),
});

export const boardTaskSchema = taskSchema.pick({ ...coded, story_id: true, sort_order: true, priority: true }).extend({
  /** A card that is being moved shows what the form says. */
  status: z.string(),
  story_code: z.string(),
  story_title: z.string(),
  has_plan: z.boolean(),
  assignee_id: id.nullable(),
  label_ids: z.array(id),
  job_id: id.nullable(),
  job_status: z.string().nullable(),
  job_phase: z.string().nullable(),
  pending_verdict: z.string().nullable(),
  job_started_at: moment.nullable(),
  job_seen_at: moment.nullable(),
  job_doing: z.nullable(doingSchema),
  worker_name: z.string().nullable(),
  holder_name: z.string().nullable().default(null),
  /** The agent that the work was handed to, and the one that had it before. */
  fallback_agent: z.string().nullable().default(null),
  agent_before: z.string().nullable().default(null),
  /** Where work in review is tried, or would be: `url` is null until it runs. */
  preview: previewSchema.pick({ head_sha: true, is_old: true, url: true }).nullable(),
  failure_reason: z.string().nullable(),
  open_questions: z.number(),
  /** How many criteria of the story the task's work proves, and how many there are. */
  proof: z.tuple([z.number(), z.number()]).nullable(),
  /** The pull request of its newest work. */
  pull: pullSchema.pick({ number: true, url: true, state: true, draft: true, ci: true, review: true }).nullable(),
  /** Lines that came and went with its newest work. */
  changes: z.tuple([z.number(), z.number()]).nullable(),
  /** Codes of what it waits for, and how many tasks wait for it. */
  waits_for: z.array(z.string()),
  frees: z.number(),
});
export type BoardTask = z.infer<typeof boardTaskSchema>;

export const boardStorySchema = storySchema
  .pick({ ...coded, status: true, pbi_id: true, assignee_id: true })
  .extend({ assignee_name: z.string().nullable(), open_questions: z.number() });
export type BoardStory = z.infer<typeof boardStorySchema>;

export const sprintPageInput = sprintIdInput.extend({
  /** Whether to read what is in the way of a run, and what one may take. */
  with_start: z.boolean().optional(),
});

export const sprintPageSchema = z.object({
  labels: z.array(labelSchema),
  views: z.array(savedViewSchema),
  sprint: sprintSchema,
  pr_strategy: z.string(),
  stories: z.array(boardStorySchema),
  tasks: z.array(boardTaskSchema),
  run: runSummary
    .extend({
      finished_at: moment.nullable(),
      pause_context: z.record(z.string(), z.unknown()).nullable(),
      failure: z.record(z.string(), z.unknown()).nullable(),
    })
    .nullable(),
  members: z.array(namedUser),
  candidates: z.array(storySchema.pick(coded).extend({ task_count: z.number() })),
  /** Only when asked for, of an active sprint without a run under way. */
  preflight: preflightSchema.nullable(),
  /** Only where nothing is in the way of a run. */
  forecast: forecastSchema.nullable(),
  burndown: burndownSchema,
  review_times: reviewTimesSchema,
});

/** The sprint without what other parts of its page show. */
export type SprintFrame = Omit<
  z.infer<typeof sprintPageSchema>,
  "tasks" | "labels" | "views" | "preflight" | "forecast" | "burndown"
>;

export const soloBoardSchema = z.object({
  sprint: sprintSchema.nullable(),
  stories: z.array(boardStorySchema),
  tasks: z.array(boardTaskSchema),
  labels: z.array(labelSchema),
  workers_online: z.number(),
});

const pageStoryLogSchema = storyLogSchema.omit({ story_id: true, user_id: true });
export type PageStoryLog = z.infer<typeof pageStoryLogSchema>;

const ownedProductSchema = productSchema
  .pick({ id: true, name: true })
  .extend({ archived: z.boolean(), is_owner: z.boolean() });

export const storyPageSchema = z.object({
  story: storyWithWhoSchema,
  /** All that the product has. */
  labels: z.array(labelSchema),
  assignee_name: z.string().nullable(),
  dependencies: dependenciesSchema,
  product: ownedProductSchema,
  pbi: pbiSchema.pick(coded),
  sprint: sprintNameSchema.nullable(),
  sprints: z.array(sprintNameSchema),
  pbis: z.array(pbiSchema.pick(coded)),
  members: z.array(namedUser),
  tasks: z.array(
    taskSchema.extend({
      /** What its newest work changed, and the job that did it. */
      changes: z.object({ job_id: id, additions: z.number(), deletions: z.number() }).nullable(),
    }),
  ),
  /** Work that is not on main, and when a person let the story start over. */
  begins_from: z.array(beginningSchema),
  fresh_starts: z.array(freshStartSchema),
  questions: z.array(agentQuestionSchema),
  files: z.array(listedFileSchema),
  logs: z.array(pageStoryLogSchema),
});
export type StoryPageData = z.infer<typeof storyPageSchema>;

export const taskPageSchema = z.object({
  task: taskDetailSchema,
  /** All that the product has. */
  labels: z.array(labelSchema),
  /** Who set the task's own repository. */
  repo_url_by: z.string().nullable(),
  product: ownedProductSchema.extend({ repo_url: z.string() }),
  story: storySchema.pick({ ...coded, sprint_id: true }),
  stories: z.array(storySchema.pick(coded)),
  jobs: z.array(agentJobSchema),
  files: z.array(listedFileSchema),
  /** Those of the product that it was imported from are of no job here. */
  reviews: z.array(
    jobReviewSchema.extend({
      job_id: z.string().nullable(),
      comments: z.array(storedCommentSchema.extend({ job_id: z.string().nullable() })),
    }),
  ),
  dependencies: dependenciesSchema,
  /** Unfinished tasks and stories that it waits for, those of its story among them. */
  waits_for: z.array(z.string()),
  questions: z.array(agentQuestionSchema),
  history: z.array(z.object({ id: z.number(), to_status: z.string(), changed_at: moment })),
});
export type TaskPageData = z.infer<typeof taskPageSchema>;

export const jobPageSchema = z.object({
  job: agentJobDetailSchema,
  /** None for conversations about an idea. */
  run: sprintRunDetailSchema.nullable(),
  why: whyNotMovingSchema.nullable(),
});

export const runPageInput = sprintRunIdInput.extend({ product_id: idSchema });
export const runPageSchema = z.object({
  run: sprintRunDetailSchema,
  order: runOrderSchema,
  budgets: budgetListSchema,
  why: whyNotMovingSchema,
  /** Open ones of the product. */
  questions: z.array(agentQuestionSchema),
});

export const branchInput = z.object({ kind: z.enum(dependencyKinds), id: idSchema });
export const branchSchema = z.object({ branch: z.string() });

export const backlogTreeSchema = z.object({
  labels: z.array(labelSchema),
  views: z.array(savedViewSchema),
  sprints: z.array(sprintNameSchema.extend({ sprint_goal: z.string() })),
  pbis: z.array(pbiSchema.pick({ ...coded, priority: true, status: true, pr_url: true })),
  stories: z.array(
    storySchema
      .pick({ ...coded, pbi_id: true, priority: true, status: true, sprint_id: true, assignee_id: true })
      .extend({ label_ids: z.array(id) }),
  ),
  tasks: z.array(taskSchema.pick({ ...coded, story_id: true, status: true }).extend({ label_ids: z.array(id) })),
  /** What more is known of where a task stands; most have nothing here. */
  states: z.array(
    boardTaskSchema
      .pick({
        job_status: true,
        job_phase: true,
        pending_verdict: true,
        fallback_agent: true,
        open_questions: true,
        failure_reason: true,
        waits_for: true,
      })
      .extend({ task_id: id }),
  ),
});
export type BacklogTree = z.infer<typeof backlogTreeSchema>;
