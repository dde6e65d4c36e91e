import { Link } from "@remix-run/react";
import { ActionForm, PressForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { TextAreaField } from "~/ui/field";
import { countText } from "~/ui/numbers";
import type { Lesson } from "~/wire/lessons/contract";
import { lessonLimits } from "~/wire/limits";

export const causeLabels = {
  changes_requested: "changes were requested",
  proof_voided: "another worker found a fault",
  ci_failed: "its tests failed",
} as const satisfies Record<Lesson["source"]["cause"], string>;

/** Why a lesson was proposed: what came back, and what for. */
export function returnedFor(code: string | null, cause: Lesson["source"]["cause"]): string {
  return `${code ?? "A task"} came back because ${causeLabels[cause]}.`;
}

/** What a lesson did: tasks that came back for its cause before and since. */
export function LessonEffect({
  before,
  after,
  isMeasured,
}: Pick<Lesson, "before" | "after"> & { isMeasured: boolean }) {
  if (before[1] === 0 && !isMeasured) return null;
  const since = ` before, ${after[0]} of ${after[1]} since`;
  return (
    <p className="text-sm text-muted">
      Came back for this: {before[0]} of {countText(before[1], "task")}
      {isMeasured ? since : " so far"}.
    </p>
  );
}

/** Accept as it is or edited, or decline. */
export function VerdictForm({ id, text, action }: { id: string; text: string; action?: string }) {
  return (
    <ActionForm fields={{ intent: "decide-lesson", lesson_id: id }} action={action} className="grid gap-2">
      <TextAreaField
        id={`lesson-${id}`}
        name="text"
        label="Lesson"
        description="Agents read it word for word once you accept it."
        rows={2}
        maxLength={lessonLimits.text}
        defaultValue={text}
        required
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" name="verdict" value="accept" tone="primary">
          Accept
        </Button>
        <Button type="submit" name="verdict" value="decline">
          Decline
        </Button>
      </div>
    </ActionForm>
  );
}

/** Ends a lesson: agents read it no longer. */
export function RetireForm({ id, action }: { id: string; action?: string }) {
  return (
    <PressForm action={action} fields={{ intent: "decide-lesson", lesson_id: id, verdict: "retire" }}>
      Retire
    </PressForm>
  );
}

/** The job whose work came back. */
export function SourceLink({ job_id }: { job_id: string | null }) {
  if (job_id === null) return null;
  return (
    <Link to={`/jobs/${job_id}`} className="text-sm text-accent underline">
      Open the job
    </Link>
  );
}
