import { useFetcher, useRouteLoaderData } from "@remix-run/react";
import { type ReactNode, useState } from "react";
import { waitsForReview } from "~/features/jobs/job-badges";
import { hasOnlySample } from "~/features/products/first-day";
import { ActionForm } from "~/ui/action-form";
import { type ActionResult, useResultToast } from "~/ui/action-result";
import { Button, ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { TextAreaField } from "~/ui/field";
import { countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import type { AgentJobDetail } from "~/wire/agent-jobs/contract";
import type { ProvenCriterion } from "~/wire/proof/contract";
import type { JobComments } from "~/wire/reviews/contract";
import { useNextKey, useVerdictKeys } from "./review-keys";
import { WhatApproveConfirms } from "./what-was-done";

/** Earlier reviews of the work, and the form for the next one. */
export function ReviewSection({
  job,
  reviews,
  drafts,
  apart,
  next,
  criteria,
  finishes,
}: {
  job: AgentJobDetail;
  reviews: JobComments["reviews"];
  drafts: number;
  /** Comments that have no place in the diff. */
  apart: ReactNode;
  /** The job to review after this one. */
  next: string | null;
  /** What the page shows: an approval confirms no others. */
  criteria: readonly ProvenCriterion[];
  /** Whether an approval finishes the story. */
  finishes: boolean;
}) {
  useNextKey(next);
  const waits = waitsForReview(job);
  const reason = reasonAgainst(job, waits, reviews);
  return (
    <Section id="review" title="Review" about={aboutReview(waits, drafts)}>
      <div className="grid gap-4">
        <EarlierReviews reviews={reviews} />
        {apart}
        <p className="text-sm" role="status">
          {[drafts > 0 ? `${countText(drafts, "comment")} not sent yet.` : null, reason].join(" ")}
        </p>
        <ReviewForm
          isOpen={reason === null}
          next={next}
          criteria={criteria}
          confirms={waits ? (finishes ? criteria : []) : null}
        >
          <input type="hidden" name="attempt" value={job.attempt} />
        </ReviewForm>
        {isReviewed(job, reviews) ? <NextSteps job={job} next={next} /> : null}
      </div>
    </Section>
  );
}

function aboutReview(waits: boolean, drafts: number): string | undefined {
  if (waits) return "The work is ready for review.";
  return drafts > 0 ? "Draft comments are sent with the review." : undefined;
}

/** Where to go after a review. */
export function NextSteps({ job, next }: { job?: Pick<AgentJobDetail, "task_id" | "task_code">; next: string | null }) {
  const isFirstDay = useHasOnlySample();
  return (
    <p className="flex flex-wrap gap-2">
      {isFirstDay ? (
        <ButtonLink to="/start" tone="primary">
          Continue first steps
        </ButtonLink>
      ) : null}
      {next === null ? null : (
        <ButtonLink to={`/jobs/${next}/changes`} tone="primary">
          Next review
        </ButtonLink>
      )}
      <ButtonLink to="/inbox?show=reviews">Open reviews</ButtonLink>
      {job?.task_id ? <ButtonLink to={`/tasks/${job.task_id}`}>Open {job.task_code ?? "task"}</ButtonLink> : null}
    </p>
  );
}

function EarlierReviews({ reviews }: { reviews: JobComments["reviews"] }) {
  if (reviews.length === 0) return null;
  return (
    <ol className="grid gap-2 text-sm">
      {reviews.map((review) => (
        <li key={review.id}>
          <strong className="font-medium">{review.author}</strong> {verdictLabels[review.verdict]} attempt{" "}
          {review.attempt}, <RelativeTime at={review.created_at} />
          {review.summary ? <p className="break-words whitespace-pre-wrap text-muted">{review.summary}</p> : null}
        </li>
      ))}
    </ol>
  );
}

const isReviewed = (job: AgentJobDetail, reviews: JobComments["reviews"]) => reviews.at(-1)?.attempt === job.attempt;

/** Returns why no review can be sent now, or null. */
function reasonAgainst(job: AgentJobDetail, waits: boolean, reviews: JobComments["reviews"]): string | null {
  if (isReviewed(job, reviews)) return whatFollows(job, reviews);
  if (waits || job.finished_at !== null) return null;
  return job.status === "queued"
    ? "The job is queued."
    : "The job is running. You can review it when the attempt ends.";
}

/** What the verdict leads to: an approval to nothing more, remarks to the next attempt. */
function whatFollows(job: AgentJobDetail, reviews: JobComments["reviews"]): string {
  if (reviews.at(-1)?.verdict === "approve") return "This attempt has been reviewed.";
  return job.finished_at === null
    ? "The task is queued again. The next attempt continues this work with your comments."
    : "Run it again: the next attempt continues this work with your comments.";
}

const fetcherKey = "review";

/** The review form. If someone else reviewed the attempt first, the typed text stays so that it can be copied. */
export function ReviewForm({
  isOpen,
  next,
  criteria,
  confirms,
  about,
  title,
  children,
}: {
  isOpen: boolean;
  next: string | null;
  criteria: readonly ProvenCriterion[];
  /** What an approval can confirm; null where it is only recorded. */
  confirms: readonly ProvenCriterion[] | null;
  /** What an approval leads to. */
  about?: string | undefined;
  /** For a card around the form, which goes with it. */
  title?: { title: string; about: string };
  /** What is judged. */
  children: ReactNode;
}) {
  const [summary, setSummary] = useState("");
  const { state, data } = useFetcher<ActionResult>({ key: fetcherKey });
  // The form goes when someone else was first; then the refusal has no other place.
  useResultToast(isOpen ? undefined : data);
  useVerdictKeys(isOpen, next !== null);
  const isLate = !isOpen && state === "idle";
  if (!isOpen && summary.trim() === "") return null;
  const form = (
    <ActionForm fetcherKey={fetcherKey} aria-label="Review" className="grid gap-3" onDone={() => setSummary("")}>
      <WriteFields>
        <input type="hidden" name="intent" value="review" />
        {criteria.map(({ id }) => (
          <input key={id} type="hidden" name="criterion" value={id} />
        ))}
        {children}
        <TextAreaField
          id="review-summary"
          name="summary"
          label="Summary"
          description={isLate ? "Not sent: someone else reviewed this first." : undefined}
          rows={3}
          onChange={(event) => setSummary(event.target.value)}
        />
        {about ? <p className="text-sm text-muted">{about}</p> : null}
        {confirms === null ? null : <WhatApproveConfirms criteria={confirms} />}
        {isOpen ? (
          <div className="flex flex-wrap gap-2 max-sm:grid">
            <VerdictButton value="approve" tone="primary" label="Approve" />
            <VerdictButton value="request_changes" label="Request changes" />
            {next === null ? null : <VerdictButton value="approve_and_next" label="Approve and next" />}
          </div>
        ) : null}
      </WriteFields>
    </ActionForm>
  );
  if (!title) return form;
  return (
    <Section id="review" {...title}>
      {form}
    </Section>
  );
}

export function NextReview({ next }: { next: string | null }) {
  if (next === null) return null;
  return (
    <ButtonLink to={`/jobs/${next}/changes`} className="justify-self-start">
      Next review
    </ButtonLink>
  );
}

function VerdictButton({ label, ...button }: { value: string; label: string; tone?: "primary" }) {
  return (
    <Button type="submit" name="verdict" className="max-sm:h-12" {...button}>
      {label}
    </Button>
  );
}

/** Completes "Ada … attempt 2". */
export const verdictLabels = { approve: "approved", request_changes: "requested changes on" };

/** Whether the user has no product but the sample, as on their first day. */
function useHasOnlySample(): boolean {
  const shell = useRouteLoaderData<{ products: { code: string }[] }>("routes/_app");
  return shell !== undefined && hasOnlySample(shell.products);
}
