import { z } from "zod";

/** Increases with every change of the row's fields. The ETag is the same number. */
export const shownVersion = { version: z.int().optional() };

/** Version that a change is based on, or all versions in `If-Match`. If the row has another one: 412. */
export const expectedVersion = {
  expected_version: z.union([z.int(), z.array(z.int())]).optional(),
};
