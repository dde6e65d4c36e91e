import { done } from "~/http/form-action.server";
import { enhancedField } from "~/ui/form-fields";
import type { WayBack } from "~/ui/toast";
import type { reviewVerdicts } from "~/wire/reviews/contract";

const undoSeconds = 10;

/** How long a verdict of this form can be undone: without script no message offers it. */
export const undoFor = (form: FormData) => ({ undo_seconds: form.has(enhancedField) ? undoSeconds : 0 });

/** Says what was decided and how to undo it, and leads to the next review. */
export function verdictGiven(
  form: FormData,
  {
    verdict,
    what,
    back,
    next,
  }: { verdict: (typeof reviewVerdicts)[number]; what: string; back: string; next: string | null },
): Response {
  const message = verdict === "approve" ? `Approved ${what}` : `Changes requested: ${what}`;
  const undo: WayBack = { action: back, fields: { intent: "undo-review" }, seconds: undoSeconds };
  return done(form, next ?? back, message, { back: undo, ...(next === null ? {} : { leadsTo: next }) });
}

/** Leads back to what was judged. */
export const verdictUndone = (form: FormData, back: string): Response =>
  done(form, back, "Undone: the work waits for your verdict again.", { leadsTo: back });
