import { z } from "zod";

/**
 * Agents tend to create duplicates: a title that an open sibling has is refused, unless the caller insists or gives
 * the item a code.
 */
export const duplicates = {
  allow_duplicate: z
    .boolean()
    .optional()
    .describe("Create it even if an open sibling has the same title"),
};

export function refusesSimilar(insists = false, code?: string): { refuse_similar: boolean } {
  return { refuse_similar: !insists && code === undefined };
}
