import { z } from "zod";
import { released } from "./dependency";
import { lengths } from "./limits";
import { taskStatusSchema } from "./status";
import { idSchema, prioritySchema, requiredText } from "./text";

/** What lists hold and people change from there, one or many at once. */
const thingSchema = z.object({ kind: z.enum(["task", "story", "pbi"]), id: idSchema });

/** One change for all of them; what a kind does not have is passed over. */
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
      /** Goes on all of them, or off where every one has it. */
      toggle_label: idSchema,
      /** Beside a status: tasks begin although they wait for others. */
      confirmed: z.boolean(),
    })
    .partial()
    .refine(
      ({ confirmed, ...changes }) => Object.keys(changes).length > 0,
      "Choose what to change.",
    ),
});
export type ChangeThingsInput = z.infer<typeof changeThingsInput>;

export const changedThingsSchema = z.object({ changed: z.int(), skipped: z.int(), ...released });
export type ChangedThings = z.infer<typeof changedThingsSchema>;

/** What an undo took back: fields that are as they were, or a thing that is back. */
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
