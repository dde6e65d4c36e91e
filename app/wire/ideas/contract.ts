import { z } from "zod";
import { expectedVersion, shownVersion } from "../concurrency";
import { lengths } from "../limits";
import { pbiSchema } from "../pbis/contract";
import { ideaConversationSchema } from "../questions/contract";
import { ideaStatusSchema } from "../status";
import { codeSchema, cursorSchema, idSchema, prioritySchema, requiredText, text } from "../text";

/** An idea as its owner sees it (specification: Idea). */
export const ideaSchema = z.object({
  id: z.string(),
  code: z.string(),
  product_id: z.string(),
  title: z.string(),
  description: z.string(),
  status: ideaStatusSchema,
  pbi_id: z.string().nullable(),
  secondary_product_ids: z.array(z.string()),
  archived_at: z.string().nullable(),
  created_at: z.string(),
  ...shownVersion,
});
export type Idea = z.infer<typeof ideaSchema>;

export const ideaDetailSchema = ideaSchema.extend({
  pbi: z.object({ id: z.string(), code: z.string(), product_id: z.string() }).nullable(),
  logs: z.array(z.object({ id: z.string(), kind: z.string(), content: z.string(), created_at: z.string() })),
  talk: ideaConversationSchema,
});

export const ideaPageSchema = z.object({ items: z.array(ideaSchema), next_cursor: z.string().nullable() });

export const promotedIdeaSchema = z.object({ idea: ideaSchema, pbi: pbiSchema });

const ideaFields = { title: requiredText(lengths.title), description: text(lengths.text) };

export const createIdeaInput = z
  .object({ product_id: idSchema, ...ideaFields })
  .partial()
  .required({ product_id: true, title: true });

/** Ideas only move forward. `planned` is set by promotion. */
export const updateIdeaInput = z
  .object({ ...ideaFields, product_id: idSchema, status: z.enum(["draft", "discussing", "ready"]) })
  .partial()
  .extend({ idea_id: idSchema, ...expectedVersion });

/** Absent title, description and product come from the idea. */
export const promoteIdeaInput = z
  .object({ ...ideaFields, product_id: idSchema, code: codeSchema, priority: prioritySchema })
  .partial()
  .extend({ idea_id: idSchema });

export const linkIdeaProductInput = z.object({ idea_id: idSchema, product_id: idSchema });

export const ideaIdInput = z.object({ idea_id: idSchema });

export const listIdeasInput = z.object({
  product_id: idSchema.optional(),
  archived: z.boolean().optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: cursorSchema.optional(),
});
