import { z } from "zod";
import { expectedVersion, shownVersion } from "../concurrency";
import { lengths } from "../limits";
import { pbiSchema } from "../pbis/contract";
import { reviewMarksSchema } from "../reviews/marks";
import { ideaStatusSchema, sprintStatusSchema } from "../status";
import { storySchema } from "../stories/contract";
import { taskDetailSchema, taskSchema } from "../tasks/contract";
import { codeSchema, hostsSchema, idSchema, isForeign, repositoryUrlSchema, requiredText, text } from "../text";
import { agentName, shownWho, whoFields } from "../who";

/** How a sprint run is split into pull requests (specification: Product). */
export const prStrategies = ["SPRINT", "STORY", "SPRINT_BATCH"] as const;
/** Grade of evidence that a story needs to become done (docs/proof.md). */
export const doneRequirements = ["none", "worker", "other_worker", "ci", "person"] as const;
/** When done work unblocks others: at once, or when its code is on the main branch (docs/dependencies.md). */
export const dependencyReleases = ["done", "merged"] as const;

/** Whether agents write missing plans: if chosen at the start of a run, always, or never. */
export const planFirstChoices = ["ask", "auto", "never"] as const;
/** What follows when a job fails: the failure goes up to its run and sprint, or a person is asked (docs/running.md). */
export const onFailureChoices = ["stop", "ask"] as const;
export const planReviewers = ["none", "person"] as const;
/** Whether workers open pull requests: no, as drafts until everything is proven, or at once (docs/forges.md). */
export const pullRequestChoices = ["none", "draft", "open"] as const;
/** Who merges branches of finished work: people, or workers one after another (docs/forges.md). */
export const landingChoices = ["manual", "queue"] as const;
export const memberRoles = ["OWNER", "MEMBER", "VIEWER"] as const;
/** Where stories created by agents go: to the backlog, or to triage, where a person accepts them. */
export const agentItemChoices = ["backlog", "triage"] as const;

export const productSchema = z.object({
  id: z.string(),
  code: z.string(),
  name: z.string(),
  description: z.string(),
  repo_url: z.string(),
  definition_of_done: z.string(),
});

const activeSprintSummarySchema = z.object({
  id: z.string(),
  code: z.string(),
  sprint_goal: z.string(),
  status: sprintStatusSchema,
  start_date: z.string().nullable(),
  end_date: z.string().nullable(),
});

/** How its work is delivered, decided and released: the same words in requests and answers. */
const policies = {
  auto_pr: z.boolean(),
  pull_requests: z.enum(pullRequestChoices),
  landing: z.enum(landingChoices),
  pr_strategy: z.enum(prStrategies),
  done_requires: z.enum(doneRequirements),
  dependency_release: z.enum(dependencyReleases),
  plan_first: z.enum(planFirstChoices),
  on_failure: z.enum(onFailureChoices),
  plan_review: z.enum(planReviewers),
  agent_items: z.enum(agentItemChoices),
};

/** What its workers send of the repository, and what follows from it (docs/forecast.md). */
const forecastSettings = {
  /** Titles and paths of main's changes; switching it off deletes what is there. */
  change_index: z.boolean(),
  /** Among equals, claims prefer what meets the least running work. */
  avoid_overlap: z.boolean(),
};

/** A repository that agents read and do not change. Without a ref its default branch. */
export const referenceSchema = z.object({
  name: z.string().regex(/^[a-z0-9-]{1,40}$/, "Name it in 1 to 40 of a-z, 0-9 and -."),
  url: text(lengths.url).refine((url) => isForeign(url) && !/^\w+:\/\/[^/@]*[:%][^/@]*@/.test(url), {
    message: "Must be an https, ssh or git@ address without a password.",
  }),
  ref: z
    .string()
    .regex(/^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/@+-]{0,199}$/, "Name a branch, a tag or a commit.")
    .nullable()
    .default(null),
});
export type ProductReference = z.infer<typeof referenceSchema>;

/** The list as people type it: a name, an address and perhaps a ref in each line. */
export function readReferences(typed: string) {
  const lines = typed.split("\n").map((line) => line.trim().split(/\s+/));
  return lines.flatMap(([name = "", url = "", ...ref]) =>
    name === "" ? [] : { name, url, ref: ref.join(" ") || null },
  );
}

export const referencesSchema = z
  .array(referenceSchema)
  .max(8, "Name at most 8 repositories.")
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, {
    message: "Give each repository a different name.",
  });

const productFieldsSchema = productSchema.extend({
  ...policies,
  /** Issues on the Git host with this label become stories in triage; empty: none. */
  forge_issue_label: z.string(),
  /** Where the names of its branches begin. */
  branch_prefix: z.string(),
  /** Only confined workers get its jobs. */
  requires_sandbox: z.boolean(),
  /** Hosts that its jobs may reach from inside a sandbox. */
  may_reach: z.array(z.string()),
  /** Other repositories that its agents read. */
  references: z.array(referenceSchema),
  review_marks: reviewMarksSchema,
  ...shownWho,
  /** Agents that take over, in order, when one is at its limit or has failed. */
  fallback: z.array(z.string()),
  /** Minutes: a limit that ends later hands the work to the next agent. */
  fallback_after: z.int(),
  ...forecastSettings,
  owner_id: z.string(),
  archived_at: z.string().nullable(),
  created_at: z.string(),
  role: z.enum(memberRoles),
  active_sprint: activeSprintSummarySchema.nullable(),
});

export const productDetailSchema = productFieldsSchema.extend({
  owner_username: z.string(),
  /** Number of stories in triage. */
  triage_count: z.int(),
  ...shownVersion,
});
export type ProductDetail = z.infer<typeof productDetailSchema>;

export const productOverviewSchema = productFieldsSchema.extend({
  member_count: z.int(),
  pbi_count: z.int(),
  story_count: z.int(),
  done_story_count: z.int(),
  task_count: z.int(),
  done_task_count: z.int(),
});

export const productMemberSchema = z.object({
  user_id: z.string(),
  username: z.string(),
  role: z.enum(memberRoles),
  /** Whether this person's workers take jobs of the product without naming its id. */
  workers_allowed: z.boolean(),
  created_at: z.string(),
});
export type ProductMember = z.infer<typeof productMemberSchema>;

/** A task in an agent's context and next story. */
const agentTaskSchema = taskDetailSchema.pick({
  id: true,
  code: true,
  title: true,
  description: true,
  implementation_plan: true,
  priority: true,
  sort_order: true,
  status: true,
});

/** GET /api/products/:id/next-story. */
export const nextStorySchema = storySchema
  .pick({ id: true, code: true, title: true, description: true, acceptance_criteria: true, status: true })
  .extend({ tasks: z.array(agentTaskSchema) });

/** GET /api/products/:id/agent-context. */
export const agentContextSchema = z.object({
  product: productSchema,
  active_sprint: z.object({ id: z.string(), sprint_goal: z.string(), status: z.literal("ACTIVE") }).nullable(),
  next_story: nextStorySchema
    .extend({
      priority: z.int(),
      /** Only with comments: tells the agent how to treat them. */
      comments_are: z.string().optional(),
      /** Newest 20 comments on the story and its tasks; absent if there are none. */
      comments: z
        .array(
          z.object({
            id: z.string(),
            on: z.string().describe("Code of the story or task"),
            author: z.string(),
            created_at: z.string(),
            body: z.string(),
          }),
        )
        .optional(),
    })
    .nullable(),
  open_ideas: z.array(
    z.object({
      id: z.string(),
      code: z.string(),
      title: z.string(),
      description: z.string(),
      status: ideaStatusSchema,
      created_at: z.string(),
    }),
  ),
  /** What the team has learned and accepted, in its own words; absent without any. */
  lessons: z.array(z.string()).optional(),
});

/** GET /api/products/:id/backlog. */
export const backlogSchema = z.object({
  product: productSchema.optional(),
  pbis: z.array(pbiSchema),
  storiesByPbi: z.record(z.string(), z.array(storySchema)),
  tasksByStory: z.record(z.string(), z.array(taskSchema)),
});

export const branchPrefixSchema = z
  .string()
  .regex(
    /^(?!.*((^|\/)[/.-]|[/.-](\/|$)|\.\.|\.lock(\/|$)))[A-Za-z0-9._/-]{1,200}$/,
    "Name the beginning of a branch, such as agents or feature/bot.",
  );

const productFields = {
  code: codeSchema,
  name: requiredText(lengths.productName),
  description: text(lengths.text),
  repo_url: z.union([z.literal(""), repositoryUrlSchema]),
  definition_of_done: text(lengths.text),
  ...policies,
  requires_sandbox: z.boolean(),
  may_reach: hostsSchema,
  references: referencesSchema,
  branch_prefix: branchPrefixSchema.max(50),
  ...whoFields,
  fallback: z.array(agentName).max(10),
  fallback_after: z.int().min(1).max(44_640),
  ...forecastSettings,
};

/** Commas are not allowed: Git hosts read a comma as the end of a label. */
export const issueLabelSchema = text(100)
  .trim()
  .regex(/^[^,\r\n\t]*$/, "Name one label, without a comma.");

export const createProductInput = z.object(productFields).partial().required({ code: true, name: true });

export const updateProductInput = z
  .object(productFields)
  .partial()
  .extend({
    product_id: idSchema,
    forge_issue_label: issueLabelSchema.optional(),
    review_marks: reviewMarksSchema.optional(),
    ...expectedVersion,
  });

export const productIdInput = z.object({ product_id: idSchema });

export const deleteProductInput = z.object({ product_id: idSchema, code: text(lengths.code) });

export const allowMyWorkersInput = z.object({ product_id: idSchema, allowed: z.boolean() });

/** Role that the owner gives to someone else, in upper or lower case. */
export const grantedRoleSchema = z
  .string()
  .transform((role) => role.toUpperCase())
  .pipe(z.enum(["MEMBER", "VIEWER"]));

export const setMemberRoleInput = z.object({ product_id: idSchema, user_id: idSchema, role: grantedRoleSchema });

export const removeProductMemberInput = z.object({ product_id: idSchema, user_id: idSchema });
