// zod/mini, because browsers load these schemas with every live page.
import { z } from "zod/mini";

const id = z.string();
const nullableId = z.nullable(z.string());
const operation = z.enum(["I", "U", "D"]);
const changedFields = z.optional(z.array(z.string()));

/** Has the fields that all filters need; each stream sends those of its contract. Unknown entities pass through. */
export const changeEventSchema = z.looseObject({
  seq: z.number(),
  /** The transaction that made the change. */
  xid: z.optional(z.number()),
  op: operation,
  entity: z.string(),
  id,
  product_id: nullableId,
  user_id: z.optional(id),
  sprint_id: z.optional(nullableId),
  assignee_id: z.optional(nullableId),
  old_sprint_id: z.optional(nullableId),
  old_assignee_id: z.optional(nullableId),
  active_changed: z.optional(z.boolean()),
  archived: z.optional(z.boolean()),
  status: z.optional(z.string()),
  changed_fields: changedFields,
});
export type ChangeEvent = z.infer<typeof changeEventSchema>;

/** A message on a topic: changes of one transaction, in order. Long transactions are split into several messages. */
export const changeMessageSchema = z.object({ events: z.array(z.unknown()) });

/** True if the messages missed since `Last-Event-ID` follow, so that clients need not refetch. */
const resumed = z.optional(z.boolean());

/** Named event `ready` of the solo stream; `sprint_id` is null without an active sprint. */
export const soloReadySchema = z.object({ product_id: id, sprint_id: nullableId, resumed });

/** Named event `jobs` of the solo stream: the unfinished jobs of the product. */
export const soloJobsSchema = z.object({
  jobs: z.array(z.object({ id, task_id: nullableId, kind: z.string(), status: z.string(), sprint_run_id: nullableId })),
});

/** Named event `workers` of the solo stream: number of online workers of the product's members, without viewers. */
export const soloWorkersSchema = z.object({ count: z.int() });

/** What an agent is doing now: the latest entry of its output, in one line. */
export const doingSchema = z.object({
  kind: z.string(),
  title: z.string(),
  status: z.nullable(z.string()),
  at: z.string(),
});
export type Doing = z.infer<typeof doingSchema>;

/** PBIs, stories and tasks carry their place and, after a move, the one before. `entity` tells all kinds apart. */
export const backlogChangeSchema = z.looseObject({
  op: operation,
  entity: z.string(),
  id,
  product_id: id,
  pbi_id: z.optional(nullableId),
  story_id: z.optional(nullableId),
  sprint_id: z.optional(nullableId),
  task_id: z.optional(nullableId),
  doing: z.optional(z.nullable(doingSchema)),
  changed_fields: changedFields,
});
export type BacklogChange = z.infer<typeof backlogChangeSchema>;

/** Named event `state` of the notifications stream: all open questions the user may read, with all fields. */
export const notificationsStateSchema = z.object({
  questions: z.array(z.looseObject({ id, product_id: id })),
  resumed,
});

/** Named event `state` of the pairing stream. Changes have the same fields and `op` (specification: Pairing stream). */
const pairingStatus = z.enum(["pending", "approved", "consumed", "cancelled"]);
export const pairingStateSchema = z.object({ pairing_id: id, status: pairingStatus });

/** Private topics on which the database announces changes (specification: Events). */
export const topics = {
  product: (productId: string) => `product:${productId}`,
  user: (userId: string) => `user:${userId}`,
  pairing: (pairingId: string) => `pairing:${pairingId}`,
} as const;

export const changeEventName = "change";
