import type { ProvenCriterion } from "~/contract/proof";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { TextField } from "~/ui/field";
import { WriteFields } from "~/ui/write-access";

/** What only a person can say of a criterion: that they saw it, that it fails, or that it need not be proven. */
export function JudgeForms({
  storyId,
  criterion,
}: {
  storyId: string;
  criterion: ProvenCriterion;
}) {
  const { id, text, state, grade } = criterion;
  const isSeen = state === "proven" && grade === "person";
  return (
    <WriteFields quiet className="flex flex-wrap items-start gap-2 pl-6">
      {isSeen ? null : (
        <ActionForm action={`/stories/${storyId}`} aria-label={`Judge: ${text}`}>
          <Judged intent="saw" criterion={id} />
          <span className="flex gap-2">
            <Button type="submit" size="sm" name="verdict" value="pass">
              Confirm
            </Button>
            <Button type="submit" size="sm" name="verdict" value="fail">
              Reject
            </Button>
          </span>
        </ActionForm>
      )}
      <details>
        <summary className="cursor-pointer py-1 text-xs text-muted">Waive…</summary>
        <ActionForm action={`/stories/${storyId}`} className="mt-2 grid gap-2">
          <Judged intent="waive" criterion={id} />
          <TextField
            id={`waive-${storyId}-${id}`}
            name="reason"
            label="Why is proof not needed?"
            required
            maxLength={2000}
          />
          <span>
            <Button type="submit" size="sm">
              Waive
            </Button>
          </span>
        </ActionForm>
      </details>
    </WriteFields>
  );
}

function Judged({ intent, criterion }: { intent: string; criterion: string }) {
  return (
    <>
      <input type="hidden" name="intent" value={intent} />
      <input type="hidden" name="criterion" value={criterion} />
    </>
  );
}
