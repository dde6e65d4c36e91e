import { z } from "zod";

/**
 * The file that `export --product` writes and `import` reads (docs/export-format.md). Statuses stand in the
 * database form, references are codes and user names, so the file means the same on every installation.
 */
export const exportFormat = "backloom-export";
export const exportVersion = 1;

const time = z.string();
const pullRequestUrl = z.string().nullable().default(null);

const logEntrySchema = z.object({
  type: z.enum(["IMPLEMENTATION_PLAN", "TEST_RESULT", "COMMIT"]),
  content: z.string(),
  status: z.enum(["PASSED", "FAILED"]).nullable().default(null),
  commit_hash: z.string().nullable().default(null),
  commit_message: z.string().nullable().default(null),
  metadata: z.record(z.string(), z.unknown()).nullable().default(null),
  username: z.string().nullable().default(null),
  created_at: time.optional(),
});

const taskSchema = z.object({
  code: z.string().nullable().default(null),
  title: z.string(),
  description: z.string().default(""),
  implementation_plan: z.string().nullable().default(null),
  priority: z.int().default(3),
  status: z.enum(["TO_DO", "IN_PROGRESS", "REVIEW", "DONE", "FAILED"]).default("TO_DO"),
  repo_url: z.string().nullable().default(null),
  verify_only: z.boolean().default(false),
  verify_required: z.enum(["ALIGNED", "ALIGNED_OR_PARTIAL", "ANY"]).default("ALIGNED_OR_PARTIAL"),
  requires_opus: z.boolean().default(false),
  estimated_minutes: z.int().nullable().default(null),
  created_at: time.optional(),
});

const storySchema = z.object({
  code: z.string().nullable().default(null),
  title: z.string(),
  description: z.string().default(""),
  acceptance_criteria: z.string().default(""),
  priority: z.int().default(3),
  status: z.enum(["OPEN", "IN_SPRINT", "DONE", "FAILED"]).default("OPEN"),
  /** Code of the sprint that the story is in. */
  sprint: z.string().nullable().default(null),
  /** User name of the assignee; kept when such a user is a member of the product. */
  assignee: z.string().nullable().default(null),
  created_at: time.optional(),
  tasks: z.array(taskSchema).default([]),
  log: z.array(logEntrySchema).default([]),
});

const pbiSchema = z.object({
  code: z.string().nullable().default(null),
  title: z.string(),
  description: z.string().default(""),
  priority: z.int().default(3),
  sort_order: z.number().optional(),
  status: z.enum(["READY", "BLOCKED", "DONE", "FAILED"]).default("READY"),
  pr_url: pullRequestUrl,
  pr_merged_at: time.nullable().default(null),
  created_at: time.optional(),
  stories: z.array(storySchema).default([]),
});

const sprintSchema = z.object({
  code: z.string(),
  sprint_goal: z.string().default(""),
  status: z.enum(["PLANNED", "ACTIVE", "COMPLETED", "FAILED", "CANCELLED"]).default("PLANNED"),
  start_date: z.string().nullable().default(null),
  end_date: z.string().nullable().default(null),
  started_at: time.nullable().default(null),
  completed_at: time.nullable().default(null),
  created_at: time.optional(),
});

const ideaSchema = z.object({
  code: z.string().nullable().default(null),
  /** User name of the owner of the idea; the owner of the import when there is no such user. */
  username: z.string().nullable().default(null),
  title: z.string(),
  description: z.string().default(""),
  status: z.enum(["DRAFT", "DISCUSSING", "READY", "PLANNED"]).default("DRAFT"),
  archived_at: time.nullable().default(null),
  /** Code of the PBI that the idea was promoted to. */
  pbi: z.string().nullable().default(null),
  created_at: time.optional(),
  log: z
    .array(
      z.object({
        kind: z.string(),
        content: z.string(),
        username: z.string().nullable().default(null),
        created_at: time.optional(),
      }),
    )
    .default([]),
});

export const exportDocumentSchema = z.object({
  format: z.literal(exportFormat),
  version: z.literal(exportVersion),
  exported_at: time.optional(),
  product: z.object({
    code: z.string(),
    name: z.string(),
    description: z.string().default(""),
    repo_url: z.string().default(""),
    definition_of_done: z.string().default(""),
    auto_pr: z.boolean().default(false),
    pr_strategy: z.enum(["SPRINT", "STORY", "SPRINT_BATCH"]).default("SPRINT"),
    archived_at: time.nullable().default(null),
    created_at: time.optional(),
  }),
  /** User names; those that do not exist where the file is read are reported and left out. */
  members: z
    .array(z.object({ username: z.string(), role: z.enum(["OWNER", "MEMBER"]) }))
    .default([]),
  sprints: z.array(sprintSchema).default([]),
  pbis: z.array(pbiSchema).default([]),
  ideas: z.array(ideaSchema).default([]),
  /** Last number given out per kind, so that codes of deleted things are not given out again. */
  counters: z.record(z.string(), z.int().nonnegative()).default({}),
});

export type ExportDocument = z.output<typeof exportDocumentSchema>;
export type ExportDocumentInput = z.input<typeof exportDocumentSchema>;
export type ExportedPbi = NonNullable<ExportDocumentInput["pbis"]>[number];
export type ExportedStory = z.input<typeof storySchema>;
export type ExportedTask = z.input<typeof taskSchema>;
export type ExportedIdea = z.input<typeof ideaSchema>;
export type ExportedLogEntry = z.input<typeof logEntrySchema>;
