import { useFetcher } from "@remix-run/react";
import { useState } from "react";
import type { PlacedComment } from "~/features/review/use-comments";
import { confirmWords, toConfirm } from "~/features/review/what-was-done";
import type { ProvenCriterion } from "~/nouns/proof/contract";
import { ActionForm } from "~/ui/action-form";
import { type ActionResult, useResultToast } from "~/ui/action-result";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { CheckField, TextAreaField } from "~/ui/field";
import { countText } from "~/ui/numbers";
import { WriteFields } from "~/ui/write-access";

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

const fetcherKey = "review";

/** One verdict for all tasks that are chosen. The second of two people is told, and keeps the text. */
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
  comments: readonly PlacedComment[];
}) {
  const [summary, setSummary] = useState("");
  const { data } = useFetcher<ActionResult>({ key: fetcherKey });
  const open = tasks.filter(({ id, isJudged }) => !isJudged && (taskId === null || id === taskId));
  useResultToast(open.length === 0 ? data : undefined);
  if (open.length === 0 && summary.trim() === "") return null;
  return (
    <Section id="review" title="Review" about="One verdict for each task that is chosen.">
      <ActionForm
        fetcherKey={fetcherKey}
        aria-label="Review"
        className="grid gap-3"
        onDone={() => setSummary("")}
      >
        <WriteFields>
          <input type="hidden" name="intent" value="review" />
          {criteria.map(({ id }) => (
            <input key={id} type="hidden" name="criterion" value={id} />
          ))}
          {open.map(({ job_id, attempt, code, title, waits }) => (
            <CheckField
              key={`${job_id} ${attempt}`}
              name="attempt"
              value={`${job_id} ${attempt}`}
              defaultChecked
              label={`${code} ${title}`}
              description={aboutTask(
                waits,
                comments.filter((each) => each.draft && each.job_id === job_id).length,
              )}
            />
          ))}
          <TextAreaField
            id="review-summary"
            name="summary"
            label="Summary"
            required={false}
            rows={3}
            description={
              open.length === 0 ? "Not sent: someone else reviewed this first." : undefined
            }
            onChange={(event) => setSummary(event.target.value)}
          />
          <p className="text-sm text-muted">
            {finishes && open.length > 1 ? "Approving all of them finishes the story. " : null}
            {confirmWords(finishes ? toConfirm(criteria) : 0)}
          </p>
          {open.length > 0 ? (
            <div className="flex flex-wrap gap-2 max-sm:grid">
              <Button type="submit" name="verdict" value="approve" tone="primary">
                Approve
              </Button>
              <Button type="submit" name="verdict" value="request_changes">
                Request changes
              </Button>
              {next === null ? null : (
                <Button type="submit" name="verdict" value="approve_and_next">
                  Approve and next
                </Button>
              )}
            </div>
          ) : null}
        </WriteFields>
      </ActionForm>
    </Section>
  );
}

function aboutTask(waits: boolean, drafts: number): string | undefined {
  const parts = [
    waits ? null : "Done already: the approval is recorded.",
    drafts === 0 ? null : `${countText(drafts, "comment")} not sent yet.`,
  ].filter((part) => part !== null);
  return parts.join(" ") || undefined;
}
