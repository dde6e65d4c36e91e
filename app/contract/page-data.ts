import { z } from "zod";

/** What pages read in one call each: the shapes of `get_shell`, `get_dashboard`, the boards and the detail pages. */

const id = z.string();
const moment = z.string();
const namedUser = z.object({ id, username: z.string() });

export const shellSchema = z.object({
  products: z.array(z.object({ id, code: z.string(), name: z.string() })),
  active_sprint_id: id.nullable(),
  open_questions: z.number(),
});

export const pageQuestionSchema = z.object({
  id,
  product_id: id,
  product_name: z.string().nullish(),
  story_id: id.nullable(),
  story_code: z.string().nullish(),
  story_title: z.string().nullish(),
  idea_id: id.nullable(),
  idea_code: z.string().nullish(),
  task_id: id.nullable(),
  task_code: z.string().nullish(),
  job_id: id.nullish(),
  asked_by_name: z.string().nullish(),
  assignee_name: z.string().nullish(),
  status: z.string(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().nullish() })),
  recommended_option: z.number().nullable(),
  answer: z.string().nullable(),
  answered_by_name: z.string().nullish(),
  answered_at: moment.nullable(),
  effective_answer: z.string().nullish(),
  taken_by_policy: z.boolean().nullish(),
  expires_at: moment.nullable(),
  on_expiry: z.string(),
  park: z.boolean(),
  created_at: moment,
});
export type PageQuestion = z.infer<typeof pageQuestionSchema>;

const runSummary = z.object({
  id,
  status: z.string(),
  started_at: moment.nullable(),
  created_at: moment,
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
  questions: z.array(pageQuestionSchema),
  reviews: z.array(
    z.object({
      id,
      code: z.string(),
      title: z.string(),
      product_name: z.string(),
      changed_at: moment,
    }),
  ),
  cost_today: z.number().nullable(),
  done_today: z.number(),
  workers_online: z.number(),
});
export type DashboardData = z.infer<typeof dashboardSchema>;

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
  job_started_at: moment.nullable(),
  job_seen_at: moment.nullable(),
  worker_name: z.string().nullable(),
  failure_reason: z.string().nullable(),
  open_questions: z.number(),
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

const sprintSchema = z.object({
  id,
  product_id: id,
  code: z.string(),
  sprint_goal: z.string(),
  status: z.string(),
  start_date: z.string().nullable(),
  end_date: z.string().nullable(),
  started_at: moment.nullable(),
  completed_at: moment.nullable(),
  created_at: moment,
});

export const sprintBoardSchema = z.object({
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
});
export type SprintBoardData = z.infer<typeof sprintBoardSchema>;

export const soloBoardSchema = z.object({
  sprint: sprintSchema.nullable(),
  stories: z.array(boardStorySchema),
  tasks: z.array(boardTaskSchema),
  workers_online: z.number(),
});
export type SoloBoardData = z.infer<typeof soloBoardSchema>;

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
export type PageTask = z.infer<typeof backlogTaskSchema>;

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
  product: z.object({ id, name: z.string(), archived: z.boolean() }),
  pbi: codedSchema,
  sprint: z.object({ id, code: z.string(), status: z.string() }).nullable(),
  sprints: z.array(z.object({ id, code: z.string(), status: z.string() })),
  pbis: z.array(codedSchema),
  members: z.array(namedUser),
  tasks: z.array(backlogTaskSchema),
  questions: z.array(pageQuestionSchema),
  logs: z.array(storyLogSchema),
});
export type StoryPageData = z.infer<typeof storyPageSchema>;

export const pageJobSchema = z.object({
  id,
  product_id: id,
  task_id: id.nullable(),
  task_code: z.string().nullable(),
  task_title: z.string().nullable(),
  story_id: id.nullable(),
  story_code: z.string().nullable(),
  idea_id: id.nullable(),
  idea_code: z.string().nullable(),
  product_code: z.string().nullable(),
  kind: z.string(),
  status: z.string(),
  sprint_run_id: id.nullable(),
  position: z.number(),
  branch: z.string().nullable(),
  pr_url: z.string().nullable(),
  pushed_at: moment.nullable(),
  verify_result: z.string().nullable(),
  retry_count: z.number(),
  attempt: z.number(),
  worker_name: z.string().nullable(),
  claimed_at: moment.nullable(),
  started_at: moment.nullable(),
  lease_until: moment.nullable(),
  not_before: moment.nullable(),
  base_sha: z.string().nullable(),
  head_sha: z.string().nullable(),
  model_id: z.string().nullable(),
  input_tokens: z.number().nullable(),
  output_tokens: z.number().nullable(),
  cache_read_tokens: z.number().nullable(),
  cache_write_tokens: z.number().nullable(),
  cost: z.number().nullable(),
  failure_class: z.string().nullable(),
  failure_reason: z.string().nullable(),
  summary: z.string().nullable(),
  parked_question_id: id.nullable(),
  created_at: moment,
  updated_at: moment,
  finished_at: moment.nullable(),
});
export type PageJob = z.infer<typeof pageJobSchema>;

export const taskPageSchema = z.object({
  task: backlogTaskSchema.extend({
    implementation_plan: z.string().nullable(),
    acceptance_criteria: z.string(),
    requires_opus: z.boolean(),
    estimated_minutes: z.number().nullable(),
    created_at: moment,
  }),
  product: z.object({ id, name: z.string(), repo_url: z.string(), archived: z.boolean() }),
  story: codedSchema.extend({ sprint_id: id.nullable() }),
  stories: z.array(codedSchema),
  jobs: z.array(pageJobSchema),
  questions: z.array(pageQuestionSchema),
  history: z.array(z.object({ id: z.number(), to_status: z.string(), changed_at: moment })),
});
export type TaskPageData = z.infer<typeof taskPageSchema>;

export const backlogTreeSchema = z.object({
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
