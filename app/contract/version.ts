import { z } from "zod";

/** Raised by every change of the row's fields; its ETag is the same number. */
export const shownVersion = { version: z.int().optional() };

/** The version that a change was made from, or those that `If-Match` names: on every other one it is refused with 412. */
export const expectedVersion = {
  expected_version: z.union([z.int(), z.array(z.int())]).optional(),
};
