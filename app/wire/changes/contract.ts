import { z } from "zod";
import { released } from "../dependencies/contract";
import { lengths } from "../limits";
import { taskStatusSchema } from "../status";
import { idSchema, prioritySchema, requiredText } from "../text";
import { whoFields } from "../who";

/** An item that people change in lists, alone or with others. */
const thingSchema = z.object({ kind: z.enum(["task", "story", "pbi"]), id: idSchema });

/** Applies one change to all items. Items whose kind lacks a field are skipped. */
export const changeThingsInput = z.object({
  things: z.array(thingSchema).min(1).max(500),
  changes: z
    .object({
      status: z.union([taskStatusSchema, z.enum(["ready", "blocked"])]),
      priority: prioritySchema,
      title: requiredText(lengths.title),
      assignee_id: idSchema.nullable(),
      sprint_id: idSchema.nullable(),
      story_id: idSchema,
      pbi_id: idSchema,
      /** Adds the label to all items, or removes it if every item has it. */
      toggle_label: idSchema,
      ...whoFields,
      /** With a status: tasks start although they are blocked. */
      confirmed: z.boolean(),
    })
    .partial()
    .refine(({ confirmed, ...changes }) => Object.keys(changes).length > 0, "Choose what to change."),
});
export type ChangeThingsInput = z.infer<typeof changeThingsInput>;

export const changedThingsSchema = z.object({ changed: z.int(), skipped: z.int(), ...released });
export type ChangedThings = z.infer<typeof changedThingsSchema>;

/** What an undo reverted: restored fields (`fields`) or a restored item (`is_back`). */
export const undoneSchema = z.object({
  changes: z.array(
    z.object({
      kind: z.enum([...thingSchema.shape.kind.options, "job"]),
      id: z.string(),
      code: z.string(),
      is_back: z.boolean(),
      fields: z.array(z.string()),
    }),
  ),
});
export type Undone = z.infer<typeof undoneSchema>;
