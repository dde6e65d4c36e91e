import { z } from "zod";
import { fileLimit, fileTypes } from "~/wire/files/contract";
import { labelNameSchema } from "~/wire/labels/contract";
import * as products from "~/wire/products/contract";
import { reviewMarksSchema } from "~/wire/reviews/marks";
import { lookSchema, viewNameSchema, viewPages } from "~/wire/saved-views/contract";
import { hostsSchema, isStorable } from "~/wire/text";
import * as parts from "~/wire/transfers/exported-parts";
import { agentName, whoFields } from "~/wire/who";

/** docs/export-format.md. Statuses in the database's form, codes and user names: the same on every installation. */
export const exportFormat = "backloom-export";
export const exportVersion = 1;

const who = {
  agent: whoFields.agent.default(null),
  model: whoFields.model.default(null),
  effort: whoFields.effort.default(null),
};

const taskSchema = z.object({
  code: parts.code,
  title: parts.title,
  description: parts.text,
  implementation_plan: parts.longText.nullable().default(null),
  priority: parts.priority,
  status: z.enum(["TO_DO", "IN_PROGRESS", "REVIEW", "DONE", "FAILED"]).default("TO_DO"),
  repo_url: parts.address,
  verify_only: z.boolean().default(false),
  verify_required: z.enum(["ALIGNED", "ALIGNED_OR_PARTIAL", "ANY"]).default("ALIGNED_OR_PARTIAL"),
  requires_opus: z.boolean().default(false),
  ...who,
  estimated_minutes: z.int().nullable().default(null),
  /** Codes of the tasks that it waits for. */
  blocked_by: z.array(z.string()).default([]),
  labels: parts.labelNames,
  created_at: parts.time.optional(),
  reviews: z.array(parts.reviewSchema).default([]),
  comments: parts.commentsSchema,
});

const storySchema = z.object({
  code: parts.code,
  title: parts.title,
  description: parts.text,
  acceptance_criteria: parts.text,
  priority: parts.priority,
  status: z.enum(["OPEN", "IN_SPRINT", "DONE", "FAILED", "TRIAGE"]).default("OPEN"),
  ...who,
  /** Code of the sprint that the story is in. */
  sprint: z.string().nullable().default(null),
  /** User name of the assignee; kept when such a user is a member of the product. */
  assignee: z.string().nullable().default(null),
  /** Codes of the stories that it waits for. */
  blocked_by: z.array(z.string()).default([]),
  labels: parts.labelNames,
  created_at: parts.time.optional(),
  tasks: z.array(taskSchema).default([]),
  log: z.array(parts.logEntrySchema).default([]),
  /** The commit at which the work of the story stands; evidence of another one is stale. */
  head_sha: z.string().min(1).max(64).nullable().default(null),
  evidence: z.array(parts.evidenceSchema).default([]),
  waivers: z.array(parts.waiverSchema).default([]),
  comments: parts.commentsSchema,
});

const pbiSchema = z.object({
  code: parts.code,
  title: parts.title,
  description: parts.text,
  priority: parts.priority,
  sort_order: z.number().optional(),
  status: z.enum(["READY", "BLOCKED", "DONE", "FAILED"]).default("READY"),
  pr_url: parts.address,
  pr_merged_at: parts.time.nullable().default(null),
  created_at: parts.time.optional(),
  stories: z.array(storySchema).default([]),
  comments: parts.commentsSchema,
});

const sprintSchema = z.object({
  code: z.string().regex(/^SP-\d{1,27}$/, "must have the form SP-<n>"),
  sprint_goal: z.string().max(10_000).default(""),
  status: z.enum(["PLANNED", "ACTIVE", "COMPLETED", "FAILED", "CANCELLED"]).default("PLANNED"),
  start_date: z.string().nullable().default(null),
  end_date: z.string().nullable().default(null),
  started_at: parts.time.nullable().default(null),
  completed_at: parts.time.nullable().default(null),
  created_at: parts.time.optional(),
});

const ideaSchema = z.object({
  code: z
    .string()
    .regex(/^IDEA-\d{3,25}$/, "must have the form IDEA-<nnn>")
    .nullable()
    .default(null),
  /** User name of the owner of the idea; the owner of the import when there is no such user. */
  username: z.string().nullable().default(null),
  title: parts.title,
  description: parts.text,
  status: z.enum(["DRAFT", "DISCUSSING", "READY", "PLANNED"]).default("DRAFT"),
  archived_at: parts.time.nullable().default(null),
  /** Code of the PBI that the idea was promoted to. */
  pbi: z.string().nullable().default(null),
  /** Codes of further products of the same owner. */
  linked_products: z.array(z.string()).default([]),
  created_at: parts.time.optional(),
  log: z
    .array(
      z.object({
        kind: z.string(),
        content: z.string(),
        username: z.string().nullable().default(null),
        created_at: parts.time.optional(),
      }),
    )
    .default([]),
});

/** A file without its content, which is next to the document under the id. Texts name it as `/api/files/<id>`. */
const exportedFileSchema = z.object({
  id: z.uuid().lowercase(),
  name: z.string().min(1).max(1000).refine(isStorable),
  type: z.enum(fileTypes),
  size: z.int().min(1).max(fileLimit),
  /** Code of the story or task that it belongs to. */
  story: z.string().nullable().default(null),
  task: z.string().nullable().default(null),
  /** It belongs to the comment that shows it. */
  of_comment: z.boolean().default(false),
  created_at: parts.time.optional(),
});
export type ExportedFile = z.output<typeof exportedFileSchema>;

const documentSchema = z.object({
  format: z.literal(exportFormat),
  version: z.literal(exportVersion),
  exported_at: parts.time.optional(),
  product: z.object({
    code: z.string().regex(/^[A-Za-z0-9._-]{1,30}$/),
    name: z.string().min(1).max(200),
    description: parts.text,
    repo_url: z.string().max(2000).default(""),
    definition_of_done: parts.text,
    auto_pr: z.boolean().default(false),
    pull_requests: z.enum(products.pullRequestChoices).optional(),
    landing: z.enum(products.landingChoices).default("manual"),
    pr_strategy: z.enum(["SPRINT", "STORY", "SPRINT_BATCH"]).default("SPRINT"),
    done_requires: z.enum(products.doneRequirements).default("none"),
    dependency_release: z.enum(products.dependencyReleases).default("done"),
    plan_first: z.enum(products.planFirstChoices).default("ask"),
    on_failure: z.enum(products.onFailureChoices).default("stop"),
    plan_review: z.enum(products.planReviewers).default("none"),
    agent_items: z.enum(products.agentItemChoices).default("backlog"),
    requires_sandbox: z.boolean().default(false),
    may_reach: hostsSchema.default([]),
    references: products.referencesSchema.default([]),
    review_marks: reviewMarksSchema.default({}),
    forge_issue_label: products.issueLabelSchema.default(""),
    branch_prefix: products.branchPrefixSchema.max(50).default("backloom"),
    ...who,
    fallback: z.array(agentName).max(10).default([]),
    fallback_after: z.int().min(1).max(44_640).default(15),
    change_index: z.boolean().default(true),
    avoid_overlap: z.boolean().default(false),
    archived_at: parts.time.nullable().default(null),
    created_at: parts.time.optional(),
  }),
  /** User names; those that do not exist where the file is read are reported and left out. */
  members: z.array(z.object({ username: z.string(), role: z.enum(products.memberRoles) })).default([]),
  sprints: z.array(sprintSchema).default([]),
  pbis: z.array(pbiSchema).default([]),
  labels: z
    .array(z.object({ name: labelNameSchema, color: z.string().regex(/^#[0-9a-fA-F]{6}$/) }))
    .max(200)
    .default([]),
  ideas: z.array(ideaSchema).default([]),
  lessons: parts.exportedLessons,
  /** Looks of backlog and board that all members share. */
  views: z
    .array(z.object({ page: z.enum(viewPages), name: viewNameSchema, look: lookSchema }))
    .max(50)
    .default([]),
  files: z.array(exportedFileSchema).max(100_000).default([]),
  /** Last number given out per kind, so that codes of deleted things are not given out again. */
  counters: z.record(z.string(), z.int().nonnegative()).default({}),
});

/** What no single field can tell: one active sprint, and references that lead somewhere. */
export const exportDocumentSchema = documentSchema.superRefine((document, context) => {
  const refuse = (path: (string | number)[], message: string): void => {
    context.addIssue({ code: "custom", path, message });
  };
  if (document.sprints.filter((sprint) => sprint.status === "ACTIVE").length > 1) {
    refuse(["sprints"], "at most one sprint can be ACTIVE");
  }
  if (new Set(document.files.map(({ id }) => id)).size < document.files.length) {
    refuse(["files"], "each file must have an id of its own");
  }
  const sprintCodes = new Set(document.sprints.map((sprint) => sprint.code));
  for (const [pbiIndex, pbi] of document.pbis.entries()) {
    for (const [storyIndex, story] of pbi.stories.entries()) {
      if (story.sprint === null || sprintCodes.has(story.sprint)) continue;
      refuse(["pbis", pbiIndex, "stories", storyIndex, "sprint"], `no sprint has the code ${story.sprint}`);
    }
  }
});

export type ExportDocument = z.output<typeof exportDocumentSchema>;
export type ExportDocumentInput = z.input<typeof exportDocumentSchema>;
