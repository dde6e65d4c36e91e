import { z } from "zod";
import { ContractError } from "~/wire/errors";

export const listLimit = 50;

export const cursorInput = z.string().max(200).optional().describe("next_cursor of the previous call");

/** Returns one page of a list. The cursor says how far the caller has read. */
export function cutList<Item>(
  items: readonly Item[],
  cursor: string | undefined,
): { items: Item[]; next_cursor: string | null } {
  const start = cursor === undefined ? 0 : readCursor(cursor);
  const end = start + listLimit;
  return { items: items.slice(start, end), next_cursor: end < items.length ? `from:${end}` : null };
}

function readCursor(cursor: string): number {
  const [, offset] = /^from:(\d{1,9})$/.exec(cursor) ?? [];
  if (offset !== undefined) return Number(offset);
  throw new ContractError(422, "This cursor does not belong to this list. Start without one.", {
    issues: [{ path: "cursor", message: "pass next_cursor back as it was, or leave it out" }],
  });
}
