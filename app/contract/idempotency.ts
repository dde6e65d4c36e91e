import { z } from "zod";

/** Whether to refuse a create if an open sibling has the same title. */
export const refuseSimilar = { refuse_similar: z.boolean().optional() };

/** Identifies one request of a sender. A retry after a lost answer sends the same key. */
export const idempotencyKeySchema = z
  .string()
  .min(1, "An idempotency key has 1 to 255 characters.")
  .max(255, "An idempotency key has 1 to 255 characters.");
