import { z } from "zod";
import { integerSchema } from "./text";

/** Increases with every change of the row's fields. The ETag is the same number. */
export const shownVersion = { version: z.int().optional() };

/** Version that a change is based on, or all versions in `If-Match`. If the row has another one: 412. */
export const expectedVersion = { expected_version: z.union([integerSchema, z.array(integerSchema)]).optional() };

/** Whether to refuse a create if an open sibling has the same title. */
export const refuseSimilar = { refuse_similar: z.boolean().optional() };

/** Identifies one request of a sender. A retry after a lost answer sends the same key. */
export const idempotencyKeySchema = z
  .string()
  .min(1, "An idempotency key has 1 to 255 characters.")
  .max(255, "An idempotency key has 1 to 255 characters.");
