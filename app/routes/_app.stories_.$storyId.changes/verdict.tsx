import { ReviewForm } from "~/features/review/review-section";
import type { CommentOnFile } from "~/features/review/use-comments";
import { CheckField } from "~/ui/field";
import { countText } from "~/ui/numbers";
import type { ProvenCriterion } from "~/wire/proof/contract";

interface JudgedTask {
  id: string;
  code: string;
  title: string;
  job_id: string;
  attempt: number;
  /** Whether it waits for a verdict; done ones can be judged as well. */
  waits: boolean;
  isJudged: boolean;
}

/** One verdict for all tasks that are chosen. The second of two people sees a message and keeps the text. */
export function Verdict({
  tasks,
  criteria,
  finishes,
  taskId,
  next,
  comments,
}: {
  tasks: readonly JudgedTask[];
  /** What the page shows: an approval confirms no others. */
  criteria: readonly ProvenCriterion[];
  /** Whether approving all of them finishes the story. */
  finishes: boolean;
  taskId: string | null;
  /** The job to review after this story. */
  next: string | null;
  comments: readonly CommentOnFile[];
}) {
  const open = tasks.filter(({ id, isJudged }) => !isJudged && (taskId === null || id === taskId));
  return (
    <ReviewForm
      isOpen={open.length > 0}
      next={next}
      criteria={criteria}
      confirms={finishes ? criteria : []}
      about={finishes && open.length > 1 ? "Approving all of them finishes the story." : undefined}
      title={{ title: "Review", about: "One verdict for each task that is chosen." }}
    >
      {open.map(({ job_id, attempt, code, title, waits }) => (
        <CheckField
          key={`${job_id} ${attempt}`}
          name="attempt"
          value={`${job_id} ${attempt}`}
          defaultChecked
          label={`${code} ${title}`}
          description={aboutTask(waits, comments.filter((each) => each.draft && each.job_id === job_id).length)}
        />
      ))}
    </ReviewForm>
  );
}

function aboutTask(waits: boolean, drafts: number): string | undefined {
  const parts = [
    waits ? null : "Done already: the approval is recorded.",
    drafts === 0 ? null : `${countText(drafts, "comment")} not sent yet.`,
  ].filter((part) => part !== null);
  return parts.join(" ") || undefined;
}
