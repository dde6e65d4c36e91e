import { z } from "zod";
import { agentJobSchema } from "./agent-job";
import { beginningSchema, freshStartSchema } from "./beginning";
import { budgetListSchema } from "./budget";
import { runSummary } from "./dashboard";
import { dependenciesSchema } from "./dependency";
import { doingSchema } from "./events";
import { forecastSchema } from "./forecast";
import { jobReviewSchema, storedCommentSchema } from "./job-review";
import { agentQuestionSchema } from "./question";
import { savedViewSchema } from "./saved-view";
import { sprintSchema } from "./sprint";
import { preflightSchema } from "./sprint-run";

/** What pages read in one call each: the shapes of `get_shell`, `get_dashboard`, the boards and the detail pages. */
const id = z.string();

const moment = z.string();

const namedUser = z.object({ id, username: z.string() });

export const shellInput = z.object({ active_product_id: z.string().nullable() });

export const shellSchema = z.object({
  products: z.array(z.object({ id, code: z.string(), name: z.string() })),
  active_sprint_id: id.nullable(),
  inbox: z.number(),
});

export const boardTaskSchema = z.object({
  id,
  code: z.string(),
  title: z.string(),
  story_id: id,
  story_code: z.string(),
  story_title: z.string(),
  sort_order: z.number(),
  priority: z.number(),
  status: z.string(),
  has_plan: z.boolean(),
  assignee_id: id.nullable(),
  job_id: id.nullable(),
  job_status: z.string().nullable(),
  job_phase: z.string().nullable(),
  job_started_at: moment.nullable(),
  job_seen_at: moment.nullable(),
  job_doing: z.nullable(doingSchema),
  worker_name: z.string().nullable(),
  failure_reason: z.string().nullable(),
  open_questions: z.number(),
  /** How many criteria of the story are proven, and how many there are. */
  proof: z.tuple([z.number(), z.number()]).nullable(),
  /** Lines that came and went with its newest work. */
  changes: z.tuple([z.number(), z.number()]).nullable(),
  /** Codes of what it waits for, and how many tasks wait for it. */
  waits_for: z.array(z.string()),
  frees: z.number(),
});
export type BoardTask = z.infer<typeof boardTaskSchema>;

export const boardStorySchema = z.object({
  id,
  code: z.string(),
  title: z.string(),
  status: z.string(),
  pbi_id: id,
  assignee_id: id.nullable(),
  assignee_name: z.string().nullable(),
  open_questions: z.number(),
});
export type BoardStory = z.infer<typeof boardStorySchema>;

export const sprintPageSchema = z.object({
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
  candidates: z.array(
    z.object({ id, code: z.string(), title: z.string(), task_count: z.number() }),
  ),
  /** Only of an active sprint without a run under way. */
  preflight: preflightSchema.nullable(),
  /** Only where nothing is in the way of a run. */
  forecast: forecastSchema.nullable(),
  budgets: budgetListSchema,
  burndown: z.array(z.object({ date: z.string(), remaining: z.number(), total: z.number() })),
});

/** The sprint without what other parts of its page show. */
export type SprintFrame = Omit<
  z.infer<typeof sprintPageSchema>,
  "tasks" | "views" | "preflight" | "forecast" | "budgets" | "burndown"
>;

export const soloBoardSchema = z.object({
  sprint: sprintSchema.nullable(),
  stories: z.array(boardStorySchema),
  tasks: z.array(boardTaskSchema),
  workers_online: z.number(),
});

const storyLogSchema = z.object({
  id,
  type: z.string(),
  content: z.string(),
  status: z.string().nullable(),
  commit_hash: z.string().nullable(),
  commit_message: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  username: z.string().nullable(),
  job_id: id.nullable(),
  created_at: moment,
});
export type PageStoryLog = z.infer<typeof storyLogSchema>;

const codedSchema = z.object({ id, code: z.string(), title: z.string() });

const backlogTaskSchema = z.object({
  id,
  story_id: id,
  product_id: id,
  code: z.string(),
  title: z.string(),
  description: z.string(),
  priority: z.number(),
  status: z.string(),
  repo_url: z.string().nullable(),
  verify_only: z.boolean(),
  verify_required: z.string(),
});

export const storyPageSchema = z.object({
  story: z.object({
    id,
    product_id: id,
    pbi_id: id,
    code: z.string(),
    title: z.string(),
    description: z.string(),
    acceptance_criteria: z.string(),
    priority: z.number(),
    status: z.string(),
    sprint_id: id.nullable(),
    assignee_id: id.nullable(),
    created_at: moment,
  }),
  assignee_name: z.string().nullable(),
  dependencies: dependenciesSchema,
  product: z.object({ id, name: z.string(), archived: z.boolean(), is_owner: z.boolean() }),
  pbi: codedSchema,
  sprint: z.object({ id, code: z.string(), status: z.string() }).nullable(),
  sprints: z.array(z.object({ id, code: z.string(), status: z.string() })),
  pbis: z.array(codedSchema),
  members: z.array(namedUser),
  tasks: z.array(
    backlogTaskSchema.extend({
      /** What its newest work changed, and the job that did it. */
      changes: z.object({ job_id: id, additions: z.number(), deletions: z.number() }).nullable(),
    }),
  ),
  /** Work that is not on main, and when a person let the story start over. */
  begins_from: z.array(beginningSchema),
  fresh_starts: z.array(freshStartSchema),
  questions: z.array(agentQuestionSchema),
  logs: z.array(storyLogSchema),
});
export type StoryPageData = z.infer<typeof storyPageSchema>;

export const taskPageSchema = z.object({
  task: backlogTaskSchema.extend({
    implementation_plan: z.string().nullable(),
    acceptance_criteria: z.string(),
    requires_opus: z.boolean(),
    estimated_minutes: z.number().nullable(),
    created_at: moment,
  }),
  /** Who wrote the repository of its own. */
  repo_url_by: z.string().nullable(),
  product: z.object({
    id,
    name: z.string(),
    repo_url: z.string(),
    archived: z.boolean(),
    is_owner: z.boolean(),
  }),
  story: codedSchema.extend({ sprint_id: id.nullable() }),
  stories: z.array(codedSchema),
  jobs: z.array(agentJobSchema),
  /** Of the installation that the product came from: here is no job that they stand at. */
  imported_reviews: z.array(
    jobReviewSchema
      .pick({ id: true, attempt: true, verdict: true, summary: true, author: true })
      .extend({
        created_at: moment,
        comments: z.array(
          storedCommentSchema
            .pick({ id: true, path: true, line: true, line_text: true, body: true, author: true })
            .extend({ created_at: moment }),
        ),
      }),
  ),
  dependencies: dependenciesSchema,
  /** Unfinished tasks and stories that it waits for, those of its story among them. */
  waits_for: z.array(z.string()),
  questions: z.array(agentQuestionSchema),
  history: z.array(z.object({ id: z.number(), to_status: z.string(), changed_at: moment })),
});
export type TaskPageData = z.infer<typeof taskPageSchema>;

export const backlogTreeSchema = z.object({
  views: z.array(savedViewSchema),
  sprints: z.array(z.object({ id, code: z.string(), status: z.string(), sprint_goal: z.string() })),
  pbis: z.array(
    codedSchema.extend({ priority: z.number(), status: z.string(), pr_url: z.string().nullable() }),
  ),
  stories: z.array(
    codedSchema.extend({
      pbi_id: id,
      priority: z.number(),
      status: z.string(),
      sprint_id: id.nullable(),
      assignee_id: id.nullable(),
    }),
  ),
  tasks: z.array(codedSchema.extend({ story_id: id, status: z.string() })),
});
export type BacklogTree = z.infer<typeof backlogTreeSchema>;
