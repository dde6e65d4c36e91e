import { z } from "zod";
import { integerSchema } from "./text";

/** Increases with every change of the row's fields. The ETag is the same number. */
export const shownVersion = { version: z.int().optional() };

/** Version that a change is based on, or all versions in `If-Match`. If the row has another one: 412. */
export const expectedVersion = {
  expected_version: z.union([integerSchema, z.array(integerSchema)]).optional(),
};
