import { z } from "zod";
import { lengths } from "../limits";
import { idSchema, text } from "../text";

const searchKinds = ["pbi", "story", "task", "idea"] as const;
const referenceKinds = ["product", "pbi", "story", "task", "sprint", "idea"] as const;

export const searchInput = z.object({
  query: text(lengths.searchQuery),
  product_id: idSchema.optional(),
  kind: z.enum(searchKinds).optional(),
  limit: z.int().min(1).max(50).optional(),
  cursor: z
    .string()
    .regex(/^[0-9]{1,6}$/)
    .optional(),
});

/** Search results, best first. */
export const searchResultSchema = z.object({
  items: z.array(
    z.object({
      kind: z.enum(searchKinds),
      id: z.string(),
      code: z.string(),
      title: z.string(),
      excerpt: z.string(),
      status: z.string(),
      product_id: z.string(),
      product_code: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
});
export type SearchResult = z.infer<typeof searchResultSchema>;

/** Resolves an id or a code, for tools that accept both. */
export const resolveReferenceInput = z.object({
  kind: z.enum(referenceKinds),
  reference: text(100),
  product_id: idSchema.optional(),
});

export const referenceSchema = z.object({
  id: z.string(),
  kind: z.enum(referenceKinds),
  code: z.string(),
  product_id: z.string(),
});
