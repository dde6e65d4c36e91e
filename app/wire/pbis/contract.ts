import { z } from "zod";
import { expectedVersion, shownVersion } from "../concurrency";
import { lengths } from "../limits";
import { pbiStatusSchema } from "../status";
import { storySchema } from "../stories/contract";
import { codeSchema, httpUrlSchema, idSchema, prioritySchema, requiredText, text } from "../text";

/** A PBI in a backlog (specification: PBI). */
export const pbiSchema = z.object({
  id: z.string(),
  product_id: z.string(),
  code: z.string(),
  title: z.string(),
  description: z.string(),
  priority: z.int(),
  sort_order: z.number(),
  status: pbiStatusSchema,
  pr_url: z.string().nullable(),
  pr_merged_at: z.string().nullable(),
  created_at: z.string(),
  ...shownVersion,
});
export type Pbi = z.infer<typeof pbiSchema>;

/** One PBI with its stories, and the idea it came from if that belongs to the caller. */
export const pbiDetailSchema = pbiSchema.extend({
  idea: z.object({ id: z.string(), code: z.string(), title: z.string() }).nullable(),
  stories: z.array(storySchema),
});

const pbiFields = {
  title: requiredText(lengths.title),
  description: text(lengths.text),
  code: codeSchema,
  priority: prioritySchema,
};

export const createPbiInput = z
  .object({ product_id: idSchema, ...pbiFields })
  .partial()
  .required({ product_id: true, title: true });

/** `blocked` is set by hand and `ready` removes it. All other statuses follow from the stories. */
export const updatePbiInput = z
  .object({ ...pbiFields, status: z.enum(["ready", "blocked"]) })
  .partial()
  .extend({ pbi_id: idSchema, ...expectedVersion });

/** Moves a PBI directly before or after another, or to the end of a priority. Give exactly one of the three. */
export const movePbiInput = z
  .object({
    pbi_id: idSchema,
    before_id: idSchema.optional(),
    after_id: idSchema.optional(),
    priority: prioritySchema.optional(),
  })
  .refine(
    ({ before_id, after_id, priority }) =>
      [before_id, after_id, priority].filter((target) => target !== undefined).length === 1,
    { path: ["before_id"], message: "Name exactly one of before_id, after_id and priority." },
  );
export type MovePbiInput = z.infer<typeof movePbiInput>;

export const pbiIdInput = z.object({ pbi_id: idSchema });

export const setPbiPrInput = z.object({ pbi_id: idSchema, pr_url: httpUrlSchema.nullable() });
