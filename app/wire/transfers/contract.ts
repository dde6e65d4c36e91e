import { z } from "zod";
import { labelNameSchema } from "../labels/contract";
import { agentItemChoices, doneRequirements, onFailureChoices } from "../products/contract";
import { codeSchema, idSchema, isStorable, prioritySchema, requiredText } from "../text";
import { logEntrySchema, titleLimit } from "./exported-parts";

export const importFormats = [
  "linear",
  "github",
  "jira",
  "trello",
  "backlog-md",
  "spec-kit",
  "openspec",
  "beads",
  "backloom",
] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Limits of one upload. `bytes` and `unpacked` are the file's, `text` is what is taken over, as bytes of JSON. */
export const importLimits = {
  bytes: 10 * 1024 * 1024,
  stories: 5_000,
  tasks: 20_000,
  ideas: 5_000,
  dependencies: 2_000,
  log: 20_000,
  ticked: 50_000,
  left_out: 1_000,
  statuses: 100,
  unpacked: 50 * 1024 * 1024,
  text: 20 * 1024 * 1024,
} as const;

const external_id = z.string().min(1).max(300);
const title = requiredText(titleLimit);
const text = z.string().max(100_000).refine(isStorable);
const labels = z.array(labelNameSchema).max(20);
const created_at = z.iso.datetime().optional();
/** External ids. */
const blocked_by = z.array(external_id);

const importedTaskSchema = z.object({
  external_id,
  code: codeSchema.nullable(),
  title,
  description: text,
  implementation_plan: text.nullable(),
  priority: prioritySchema,
  status: z.enum(["TO_DO", "IN_PROGRESS", "REVIEW", "DONE", "FAILED"]),
  estimated_minutes: z.int().min(0).max(1_000_000).nullable(),
  labels,
  blocked_by,
  created_at,
});
export type ImportedTask = z.infer<typeof importedTaskSchema>;

const importedStorySchema = z.object({
  external_id,
  code: codeSchema.nullable(),
  title,
  description: text,
  acceptance_criteria: text,
  priority: prioritySchema,
  assignee: z.string().max(254).nullable(),
  labels,
  blocked_by,
  created_at,
  log: z.array(logEntrySchema.pick({ content: true, metadata: true, created_at: true })),
  /** Acceptance criteria that were ticked off. */
  ticked: z.array(text),
  tasks: z.array(importedTaskSchema),
});
export type ImportedStory = z.infer<typeof importedStorySchema>;

const left_out = z.array(z.object({ count: z.int(), reason: z.string() }));

const readStatusSchema = z.object({
  word: z.string(),
  became: z.enum(["TO_DO", "IN_PROGRESS", "REVIEW", "DONE", "LEFT_OUT"]),
  known: z.boolean().describe("false: neither the word nor another field told the state"),
  count: z.int(),
});
export type ReadStatus = z.infer<typeof readStatusSchema>;

const draftShape = z.object({
  pbis: z.array(
    z.object({ code: codeSchema.nullable(), title, description: text, stories: z.array(importedStorySchema).min(1) }),
  ),
  ideas: z.array(z.object({ title, description: text, archived_at: z.iso.datetime().nullable(), created_at })),
  definition_of_done: text,
  left_out,
  statuses: z.array(readStatusSchema),
});
export type ImportDraft = z.infer<typeof draftShape>;

/** What of a draft is counted, in the words of a refusal. */
const counted: Record<string, (draft: ImportDraft) => [most: number, is: number]> = {
  stories: (draft) => [importLimits.stories, storiesOf(draft).length],
  tasks: (draft) => [importLimits.tasks, tasksOf(draft).length],
  ideas: ({ ideas }) => [importLimits.ideas, ideas.length],
  dependencies: (draft) => [
    importLimits.dependencies,
    sum([...storiesOf(draft), ...tasksOf(draft)], ({ blocked_by }) => blocked_by.length),
  ],
  "log entries": (draft) => [importLimits.log, sum(storiesOf(draft), ({ log }) => log.length)],
  "ticked criteria": (draft) => [importLimits.ticked, sum(storiesOf(draft), ({ ticked }) => ticked.length)],
  "kinds of what has no place here": ({ left_out }) => [importLimits.left_out, left_out.length],
  statuses: ({ statuses }) => [importLimits.statuses, statuses.length],
};

const storiesOf = ({ pbis }: ImportDraft) => pbis.flatMap(({ stories }) => stories);
const tasksOf = (draft: ImportDraft) => storiesOf(draft).flatMap(({ tasks }) => tasks);
const sum = <Item>(items: readonly Item[], of: (item: Item) => number) =>
  items.reduce((total, item) => total + of(item), 0);

/** Contents of an import file as a backlog; the same form for every tool, and the same limits however it comes. */
export const importDraftSchema = draftShape.superRefine((draft, { addIssue }) => {
  for (const [name, count] of Object.entries(counted)) {
    const [most, is] = count(draft);
    if (is > most) addIssue(`The file holds more than ${most} ${name}, which is the limit. Import it in parts.`);
  }
});

export const importedRowsSchema = z.object({
  product: z.object({ id: z.string().nullable(), code: z.string(), name: z.string() }),
  pbis: z.int(),
  stories: z.int(),
  tasks: z.int(),
  done: z.int().describe("Of the tasks, those that come in as done"),
  in_review: z.int().describe("Of the tasks, those that come in as in review"),
  ideas: z.int(),
  labels: z.int(),
  dependencies: z.int(),
  already_there: z.int(),
  unknown_people: z.array(z.string()),
  impossible: z.array(z.object({ name: z.string(), reason: z.string() })),
});

/** Where the rows go; the gates are those of a new product. */
export const importTargetSchema = z.object({
  product_id: idSchema.nullable(),
  name: requiredText(200).nullable(),
  code: codeSchema.nullable(),
  done_requires: z.enum(doneRequirements).optional(),
  agent_items: z.enum(agentItemChoices).optional(),
  on_failure: z.enum(onFailureChoices).optional(),
});
export type ImportTarget = z.input<typeof importTargetSchema>;

export const importReportSchema = importedRowsSchema
  .omit({ impossible: true })
  .extend({
    preview: z.boolean().describe("Nothing was written"),
    already_there: z.int().describe("Stories of an earlier import of the same file, left as they are"),
    unknown_people: z.array(z.string()).describe("Assignees that no member has as name or email"),
    left_out: draftShape.shape.left_out.describe("What is not imported, and why"),
    statuses: draftShape.shape.statuses.describe("Statuses of the tool, and what they became"),
    rows: z
      .array(
        z.object({
          title: z.string(),
          pbi: z.string(),
          labels: z.array(z.string()),
          tasks: z.int(),
          done: z.boolean(),
        }),
      )
      .describe("The first stories of the file"),
  });
export type ImportReport = z.infer<typeof importReportSchema>;

export const followedImportSchema = z.object({
  import: z.object({
    id: z.string(),
    state: z.enum(["running", "done", "failed"]),
    done: z.int().describe("Stories, tasks and ideas written"),
    of: z.int(),
    report: importReportSchema.nullable(),
    error: z.string().nullable(),
  }),
});
export type FollowedImport = z.infer<typeof followedImportSchema>["import"];

const ticked = z
  .enum(["true", "false", "1", "0", "yes", "no", "on"])
  .transform((word) => ["true", "1", "yes", "on"].includes(word));

export const importForm = z
  .object({
    format: z.enum(importFormats),
    product_id: idSchema.optional().describe("A product that takes the backlog in"),
    name: requiredText(200).optional().describe("Name of a new product"),
    code: codeSchema.optional().describe("Code of a new product"),
    done_requires: z
      .enum(doneRequirements)
      .optional()
      .describe("What agent work of a new product waits for: none by default"),
    preview: ticked.optional().describe("true: say what would come, and write nothing"),
  })
  .refine(
    ({ product_id, name, code }) =>
      product_id === undefined ? name !== undefined && code !== undefined : !name && !code,
    { message: "Give either product_id, or name and code of a new product." },
  );
