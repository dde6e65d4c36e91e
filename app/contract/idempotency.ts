import { z } from "zod";

/** Whether an open sibling with the same title is a reason not to make another. */
export const refuseSimilar = { refuse_similar: z.boolean().optional() };

/** Names one request of its sender, who sends it again with the same key when the answer was lost. */
export const idempotencyKeySchema = z
  .string()
  .min(1, "An idempotency key has 1 to 255 characters.")
  .max(255, "An idempotency key has 1 to 255 characters.");
