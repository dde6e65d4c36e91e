import { z } from "zod";
import { ContractError } from "~/contract/errors";
import type { Actor } from "~/db/rpc.server";
import { markViewedInput } from "~/nouns/reviews/contract";
import { markViewed } from "~/nouns/reviews/operations.server";

const marksSchema = z
  .array(markViewedInput.omit({ viewed: true }))
  .min(1)
  .max(200);

/** Marks what the form of a file is for, on a page without script. */
export async function markAll(actor: Actor, form: FormData): Promise<void> {
  const marks = marksSchema.safeParse(form.getAll("mark").map(parsed));
  if (!marks.success) throw new ContractError(422, "Nothing to mark was sent. Reload the page.");
  const viewed = form.get("viewed") === "true";
  for (const mark of marks.data) await markViewed(actor, { ...mark, viewed });
}

function parsed(entry: FormDataEntryValue): unknown {
  try {
    return JSON.parse(String(entry));
  } catch {
    return null;
  }
}
