import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { addJobCommentBody, reviewJobBody } from "~/contract/job-review";
import { idSchema } from "~/contract/text";
import { getJobDiff } from "~/domain/agent-jobs/operations.server";
import { addJobComment } from "~/domain/job-reviews/add-job-comment.server";
import { listJobComments } from "~/domain/job-reviews/list-job-comments.server";
import { deleteJobComment, reviewJob } from "~/domain/job-reviews/operations.server";
import { DiffView } from "~/features/diff/diff-view";
import { LineCounts } from "~/features/diff/line-counts";
import { showDiff } from "~/features/diff/show-diff.server";
import { ReviewSection } from "~/features/review/review-section";
import { done, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveJob } from "~/live/use-live-job";
import { EmptyState } from "~/ui/empty-state";
import { countText } from "~/ui/numbers";
import { useJob } from "../_app.jobs_.$jobId/job-data";
import { Attempts } from "./attempts";
import { useComments } from "./use-comments";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal } = await requireActor(request, context);
  const jobId = requireId(params.jobId, "agent job");
  const { searchParams } = new URL(request.url);
  const attempt = numberOf(searchParams, "attempt");
  const diff = await getJobDiff(actor, { job_id: jobId, attempt });
  const comments = await listJobComments(actor, { job_id: jobId }, diff);
  if (diff === null) return json({ diff: null, ...comments });
  const since = numberOf(searchParams, "since");
  const before =
    since === undefined ? null : await getJobDiff(actor, { job_id: jobId, attempt: since });
  const open = numberOf(searchParams, "open");
  const files = await showDiff(diff, { viewer: principal.user_id, before, open });
  return json({ diff: { ...diff, files, since: before?.attempt ?? null }, ...comments });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const jobId = requireId(params.jobId, "agent job");
  const form = await request.formData();
  const back = `/jobs/${jobId}/changes`;
  return runIntent(form, {
    "add-comment": async () => {
      await addJobComment(actor, { job_id: jobId, ...readForm(form, addJobCommentBody) });
      return done(form, back, "Comment added to the review");
    },
    "delete-comment": async () => {
      const { comment_id } = readForm(form, z.object({ comment_id: idSchema }));
      await deleteJobComment(actor, { job_id: jobId, comment_id });
      return done(form, back, "Comment deleted");
    },
    review: async () => {
      const { verdict } = await reviewJob(actor, {
        job_id: jobId,
        ...readForm(form, reviewJobBody),
      });
      return done(form, back, verdict === "approve" ? "Approved" : "Changes requested");
    },
  });
});

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** What the attempts of a job have changed, and what people say of it. */
export default function JobChanges() {
  const { diff, comments, reviews } = useLoaderData<typeof loader>();
  const job = useJob();
  useLiveJob(job.id);
  const { below, above, lost, setSpot } = useComments(comments, diff);
  const drafts = comments.filter(({ draft }) => draft).length;
  const review = <ReviewSection job={job} reviews={reviews} drafts={drafts} lost={lost} />;
  if (diff === null) {
    return (
      <div className="grid gap-4">
        <EmptyState title="No changes yet">
          The agent's changes appear here when the attempt ends.
        </EmptyState>
        {job.finished_at !== null || reviews.length > 0 ? review : null}
      </div>
    );
  }
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <span>{countText(diff.files.length, "file")}</span>
        <LineCounts additions={diff.additions} deletions={diff.deletions} />
        <a href="#review" className="text-accent underline pointer-coarse:py-3">
          Review{drafts > 0 ? ` (${drafts})` : ""}
        </a>
        <Attempts {...diff} />
      </div>
      <DiffView
        key={`${job.id}-${diff.attempt}-${diff.since}`}
        jobId={job.id}
        attempt={diff.attempt}
        since={diff.since}
        files={diff.files}
        below={below}
        above={above}
        onSpot={setSpot}
      />
      {review}
    </div>
  );
}
