import { json, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { useCallback, useRef } from "react";
import { z } from "zod";
import { comparedWith, type Since, sinceIn } from "~/features/diff/compared-with.server";
import { DiffView } from "~/features/diff/diff-view";
import { readGuide } from "~/features/diff/read-guide.server";
import { changedFiles, showFiles, sizeOf } from "~/features/diff/show-diff.server";
import { filesOfPage, numberIn, pageOfFiles } from "~/features/diff/shown-diff";
import { useViewed } from "~/features/diff/use-viewed";
import { waitsForReview } from "~/features/jobs/job-badges";
import { useJobStream } from "~/features/output/use-job-stream";
import { markAll, nextPage, noteLookAt, positionInQueue } from "~/features/review/changes-page.server";
import { fileMarks } from "~/features/review/mark-list";
import { Remarks } from "~/features/review/remarks";
import { NextSteps, ReviewBar } from "~/features/review/review-bar";
import { ReviewHead } from "~/features/review/review-head";
import { shownChapters } from "~/features/review/shown-chapters";
import { storyOf } from "~/features/review/story-changes.server";
import { useComments } from "~/features/review/use-comments";
import { undoFor, verdictGiven, verdictUndone } from "~/features/review/verdict-answer.server";
import { AgentSays, CriterionFold, JobPosition } from "~/features/review/what-was-done";
import { done, readForm, runIntent, runOperation } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLive } from "~/live/live-provider";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { getJobProof } from "~/nouns/proof/operations.server";
import { addJobComment, listJobComments } from "~/nouns/reviews/job-comments.server";
import {
  deleteJobComment,
  getJobMarks,
  listSameFiles,
  listViewed,
  reviewJob,
  undoReview,
} from "~/nouns/reviews/operations.server";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import type { AgentJobDetail } from "~/wire/agent-jobs/contract";
import { canonicalId } from "~/wire/canonical-id";
import { addJobCommentBody, type JobComments, reviewJobBody } from "~/wire/reviews/contract";
import { attemptInQuery } from "~/wire/text";
import { useJob } from "./_app.jobs_.$jobId/job-data";

export const loader = personLoader(async ({ actor, principal, request, params }) => {
  const jobId = canonicalId(params.jobId);
  const { searchParams } = new URL(request.url);
  const attempt = numberIn(searchParams, "attempt");
  const whole = await storyOf(actor, jobId);
  if (whole.address !== null && searchParams.size === 0) return redirect(whole.address);
  const diff = await getJobDiff(actor, { job_id: jobId, attempt });
  const [comments, { stories }, sameFiles] = await Promise.all([
    listJobComments(actor, { job_id: jobId }, diff),
    getJobProof(actor, { job_id: jobId }),
    listSameFiles(actor, { job_id: jobId }),
    noteLookAt(request, actor, jobId),
  ]);
  const criteria = stories.flatMap(({ proof }) => proof.criteria);
  const { finishes, address: story } = whole;
  const { review, queue } = await positionInQueue(actor, jobId);
  const isNewest = diff !== null && diff.attempts.at(-1) === diff.attempt;
  const marked = isNewest ? (await getJobMarks(actor, { job_id: jobId })).marks : [];
  const about = { marked, criteria, finishes, story, review, queue, sameFiles, reviews: comments.reviews };
  if (diff === null) {
    const onFiles = comments.comments.map((each) => ({ ...each, index: null }));
    return json({ diff: null, ...pageOfFiles([]), viewed: noFiles, comments: onFiles, ...about });
  }
  const viewer = principal.user_id;
  const wanted = sinceIn(searchParams);
  // The next round opens on what has changed since the person looked, or else since they asked for changes.
  const choices = attempt === undefined ? ["looked" as const, lastVerdict(comments.reviews, viewer, diff)] : [];
  const since = await comparedWith(actor, diff, wanted === undefined ? choices : [wanted]);
  const before = since?.before ?? null;
  const open = numberIn(searchParams, "open");
  const changed = await changedFiles(diff, { viewer, before });
  const named = changed.map(({ file: { path }, index }) => ({ path, index }));
  const all = shownChapters(await readGuide(actor, diff, viewer), named, before !== null);
  const page = pageOfFiles(all, numberIn(searchParams, "files"));
  const files = await showFiles(filesOfPage(changed, page.chapters), viewer, open);
  const indices = new Map(named.map(({ path, index }) => [path, index]));
  const viewed = await listViewed(actor, { job_id: jobId, attempt: diff.attempt });
  const seen = new Set(viewed.paths);
  return json({
    diff: {
      ...diff,
      files,
      size: sizeOf(changed),
      total: diff.files.length,
      since: since && { attempt: since.before.attempt, choice: since.choice },
    },
    ...page,
    comments: comments.comments.map((each) => ({ ...each, index: indices.get(each.path) ?? null })),
    viewed: named.flatMap(({ path, index }) => (seen.has(path) ? [index] : [])),
    ...about,
  });
});

const noFiles: number[] = [];

/** The newest earlier attempt of which the person asked for changes. */
function lastVerdict(reviews: JobComments["reviews"], viewer: string, { attempt }: { attempt: number }) {
  const asked = reviews.filter((each) => each.author_id === viewer && each.verdict === "request_changes");
  return asked.findLast((each) => each.attempt < attempt)?.attempt;
}

export const action = writeAction(async ({ actor, form, request, params }) => {
  const jobId = canonicalId(params.jobId);
  const back = `/jobs/${jobId}/changes${new URL(request.url).search}`;
  return runIntent(form, {
    "add-comment": async () => {
      const { of, ...comment } = readForm(form, commentForm);
      await addJobComment(actor, { job_id: jobId, attempt: of, ...comment });
      return done(form, back, "Comment added to the review");
    },
    "delete-comment": () => runOperation(actor, form, deleteJobComment, back, "Comment deleted"),
    viewed: async () => {
      await markAll(actor, form);
      return done(form, back);
    },
    review: async () => {
      const goesOn = form.get("verdict") === "approve_and_next";
      if (goesOn) form.set("verdict", "approve");
      const next = goesOn ? await nextPage(actor, jobId) : null;
      const { verdict, job } = await reviewJob(actor, {
        job_id: jobId,
        ...readForm(form, verdictForm),
        // The page names its attempt; other forms confirm everything there is.
        criteria: form.has("attempt") ? form.getAll("criterion").map(String) : undefined,
        confirm: form.getAll("confirm").map(String),
        ...undoFor(form),
      });
      return verdictGiven(form, { verdict, what: job.task_code ?? "the batch", back, next });
    },
    "undo-review": async () => {
      await undoReview(actor, { job_id: jobId });
      return verdictUndone(form, back);
    },
  });
});

const commentForm = addJobCommentBody.omit({ attempt: true }).extend({ of: z.int().min(1) });

const verdictForm = reviewJobBody
  .omit({ criteria: true, confirm: true, undo_seconds: true })
  .extend({ attempt: attemptInQuery.optional() });

/** What the attempts of a job have changed, and what people say of it. */
export default function JobChanges() {
  const data = useLoaderData<typeof loader>();
  const { diff, chapters, criteria, story, comments, reviews, queue } = data;
  const job = useJob();
  useLiveJob(job.id);
  const of = `${job.id} ${diff?.attempt}`;
  const { below, above, apart, setSpot } = useComments(comments, { of: String(diff?.attempt), since: diff?.since });
  const viewed = useViewed(
    data.viewed,
    ({ index, path }) => (diff !== null && index < diff.total ? [{ job_id: job.id, attempt: diff.attempt, path }] : []),
    of,
  );
  const waits = waitsForReview(job);
  const reason = reasonAgainst(job, waits, reviews);
  const since = diff?.since ?? null;
  return (
    <>
      <div className="grid gap-3">
        <ReviewHead
          review={data.review}
          size={diff?.size ?? null}
          criteria={criteria}
          marked={data.marked}
          linkTo={({ path, hunk }) => {
            const file = diff?.files.find((each) => each.path === path);
            if (!file) return null;
            const isThere = hunk !== null && since === null && file.hunks !== null && hunk < file.hunks.length;
            return isThere ? `#hunk-${file.index}-${hunk}` : `#file-${file.index}`;
          }}
          sameFiles={data.sameFiles}
          details={
            <>
              <JobPosition job={job} />
              <AgentSays job={job} />
            </>
          }
        >
          {diff === null ? null : <AttemptLinks {...diff} />}
          {story === null ? null : (
            <Link to={story} className="text-accent underline pointer-coarse:py-3">
              All changes of the story
            </Link>
          )}
        </ReviewHead>
        <Remarks reviews={reviews} comments={comments} />
        {since !== null && diff?.size.files === 0 ? (
          <p>{`Attempt ${diff.attempt} changed nothing since attempt ${since.attempt}.`}</p>
        ) : null}
        {diff === null ? (
          <EmptyState title="No changes yet">The agent's changes appear here when the attempt ends.</EmptyState>
        ) : (
          <DiffView
            key={`${job.id}-${diff.attempt}-${since?.attempt}`}
            addressOf={({ index }) =>
              `/jobs/${job.id}/file?attempt=${diff.attempt}&index=${index}${since === null ? "" : `&since=${since.choice}`}`
            }
            since={since?.attempt ?? null}
            files={diff.files}
            chapters={chapters}
            page={data}
            aside={({ criterion }) => {
              const known = criteria.find(({ id }) => id === criterion);
              return known ? <CriterionFold criterion={known} /> : null;
            }}
            viewed={viewed}
            flagOf={(path) => fileMarks(data.marked, path)}
            below={below}
            above={above}
            onSpot={setSpot}
          />
        )}
        {apart}
      </div>
      {diff !== null || job.finished_at !== null || reviews.length > 0 || waits ? (
        <ReviewBar
          isOpen={reason === null}
          reason={reason}
          viewed={{ count: viewed.count, total: diff?.size.files ?? 0 }}
          queue={queue}
          drafts={comments.filter(({ draft }) => draft).length}
          criteria={criteria}
          confirms={waits ? (data.finishes ? criteria : []) : null}
          after={
            isReviewed(job, reviews) ? (
              <NextSteps next={queue.next}>
                {job.task_id ? (
                  <ButtonLink to={`/tasks/${job.task_id}`}>Open {job.task_code ?? "task"}</ButtonLink>
                ) : null}
              </NextSteps>
            ) : null
          }
        >
          <input type="hidden" name="attempt" value={job.attempt} />
        </ReviewBar>
      ) : null}
    </>
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

/** Reloads the page when the job changes. Output has its own tab, so it is ignored here. */
function useLiveJob(jobId: string): void {
  const { revalidate } = useLive();
  const isFirst = useRef(true);
  const resync = useCallback(() => {
    // The page was just loaded when the stream starts.
    if (!isFirst.current) revalidate();
    isFirst.current = false;
  }, [revalidate]);
  useJobStream(jobId, { onResync: resync, onJob: revalidate, onOutput: () => undefined });
}

/** Selects the changes to show: one attempt's, or only those since the attempt before. */
function AttemptLinks({
  attempts,
  attempt: shown,
  since,
}: {
  attempts: readonly number[];
  attempt: number;
  since: { attempt: number; choice: Since } | null;
}) {
  if (attempts.length < 2) return null;
  const before = attempts.at(-2);
  return (
    <nav aria-label="Changes of attempt" className="flex flex-wrap gap-2">
      {since?.choice === "looked" ? (
        <Choice to="?since=looked" isShown>
          Only changes since you looked
        </Choice>
      ) : null}
      {attempts.at(-1) === shown ? (
        <Choice to={`?since=${before}`} isShown={since !== null && since.choice !== "looked"}>
          {`Only changes since attempt ${before}`}
        </Choice>
      ) : null}
      {attempts.map((attempt) => (
        <Choice key={attempt} to={`?attempt=${attempt}`} isShown={attempt === shown && since === null}>
          {`Attempt ${attempt}`}
        </Choice>
      ))}
    </nav>
  );
}

function Choice({ to, isShown, children }: { to: string; isShown: boolean; children: string }) {
  return (
    <Link
      to={to}
      aria-current={isShown ? "page" : undefined}
      className="text-muted hover:underline aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      {children}
    </Link>
  );
}
