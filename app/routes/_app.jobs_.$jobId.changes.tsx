import { json, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { useCallback, useRef } from "react";
import { z } from "zod";
import { comparedWith, type Since, sinceIn } from "~/features/diff/compared-with.server";
import { DiffView } from "~/features/diff/diff-view";
import { LineCounts } from "~/features/diff/line-counts";
import { changedFiles, showFiles } from "~/features/diff/show-diff.server";
import { filesOfPage, numberIn, pageOfFiles } from "~/features/diff/shown-diff";
import { waitsForReview } from "~/features/jobs/job-badges";
import { useJobStream } from "~/features/output/use-job-stream";
import { markAll, nextPage, noteLookAt, positionInQueue } from "~/features/review/changes-page.server";
import { ReviewFacts, SameFiles } from "~/features/review/review-facts";
import { ReviewSection } from "~/features/review/review-section";
import { shownChapters } from "~/features/review/shown-chapters";
import { storyOf } from "~/features/review/story-changes.server";
import { useComments } from "~/features/review/use-comments";
import { AgentSays, CriterionProof, JobPosition, ShownCriteria } from "~/features/review/what-was-done";
import { done, readForm, runIntent, runOperation } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLive } from "~/live/live-provider";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { getJobProof } from "~/nouns/proof/operations.server";
import { addJobComment, listJobComments } from "~/nouns/reviews/job-comments.server";
import { deleteJobComment, listSameFiles, listViewed, readGuide, reviewJob } from "~/nouns/reviews/operations.server";
import { EmptyState } from "~/ui/empty-state";
import { countText } from "~/ui/numbers";
import { canonicalId } from "~/wire/canonical-id";
import { addJobCommentBody, reviewJobBody } from "~/wire/reviews/contract";
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
  const queue = await positionInQueue(actor, jobId);
  const about = {
    criteria,
    finishes: whole.finishes,
    story: whole.address,
    queue,
    sameFiles,
    reviews: comments.reviews,
  };
  if (diff === null) {
    const onFiles = comments.comments.map((each) => ({ ...each, index: null }));
    return json({ diff: null, ...pageOfFiles([]), viewed: [], comments: onFiles, ...about });
  }
  const since = sinceIn(searchParams) ?? (attempt === undefined ? "looked" : undefined);
  const before = await comparedWith(actor, diff, since);
  const open = numberIn(searchParams, "open");
  const viewer = principal.user_id;
  const changed = await changedFiles(diff, { viewer, before });
  const named = changed.map(({ file: { path }, index }) => ({ path, index }));
  const all = shownChapters(await readGuide(actor, diff), named, before !== null);
  const page = pageOfFiles(all, numberIn(searchParams, "files"));
  const files = await showFiles(filesOfPage(changed, page.chapters), viewer, open);
  const indices = new Map(named.map(({ path, index }) => [path, index]));
  const viewed = await listViewed(actor, { job_id: jobId, attempt: diff.attempt });
  const seen = new Set(viewed.paths);
  return json({
    diff: {
      ...diff,
      files,
      count: changed.length,
      total: diff.files.length,
      since: before && since ? { attempt: before.attempt, choice: since } : null,
    },
    ...page,
    comments: comments.comments.map((each) => ({ ...each, index: indices.get(each.path) ?? null })),
    viewed: files.flatMap(({ path, index }) => (seen.has(path) ? [index] : [])),
    ...about,
  });
});

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
      const { verdict } = await reviewJob(actor, {
        job_id: jobId,
        ...readForm(form, verdictForm),
        // The page names its attempt; other forms confirm everything there is.
        criteria: form.has("attempt") ? form.getAll("criterion").map(String) : undefined,
        confirm: form.getAll("confirm").map(String),
      });
      if (next !== null) return redirect(next, 303);
      return done(form, back, verdict === "approve" ? "Approved" : "Changes requested");
    },
  });
});

const commentForm = addJobCommentBody.omit({ attempt: true }).extend({ of: z.int().min(1) });

const verdictForm = reviewJobBody
  .omit({ criteria: true, confirm: true })
  .extend({ attempt: attemptInQuery.optional() });

/** What the attempts of a job have changed, and what people say of it. */
export default function JobChanges() {
  const data = useLoaderData<typeof loader>();
  const { diff, chapters, viewed, criteria, finishes, story, queue, comments, reviews } = data;
  const { sameFiles } = data;
  const job = useJob();
  useLiveJob(job.id);
  const shown = { of: String(diff?.attempt), since: diff?.since };
  const { below, above, apart, setSpot } = useComments(comments, shown);
  const drafts = comments.filter(({ draft }) => draft).length;
  const review = (
    <ReviewSection
      job={job}
      reviews={reviews}
      drafts={drafts}
      apart={apart}
      criteria={criteria}
      finishes={finishes}
      next={queue.next}
    />
  );
  if (diff === null) {
    return (
      <div className="grid gap-4">
        <EmptyState title="No changes yet">The agent's changes appear here when the attempt ends.</EmptyState>
        {job.finished_at !== null || reviews.length > 0 || waitsForReview(job) ? review : null}
      </div>
    );
  }
  const { since } = diff;
  return (
    <div className="grid gap-4">
      {queue.review ? <ReviewFacts review={queue.review} inFull /> : null}
      <SameFiles others={sameFiles} />
      <AgentSays job={job} above={<JobPosition job={job} />} />
      <ShownCriteria criteria={criteria} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        {since !== null && diff.count === 0 ? (
          <span>{`Attempt ${diff.attempt} changed nothing since attempt ${since.attempt}.`}</span>
        ) : (
          <span>{countText(diff.count, "file")}</span>
        )}
        {since === null ? <LineCounts additions={diff.additions} deletions={diff.deletions} /> : null}
        <a href="#review" className="text-accent underline pointer-coarse:py-3">
          Review{drafts > 0 ? ` (${drafts})` : ""}
        </a>
        {story === null ? null : (
          <Link to={story} className="text-accent underline pointer-coarse:py-3">
            All changes of the story
          </Link>
        )}
        <AttemptLinks {...diff} />
      </div>
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
          return known ? <CriterionProof criterion={known} /> : null;
        }}
        known={viewed}
        marksOf={({ index, path }) => (index < diff.total ? [{ job_id: job.id, attempt: diff.attempt, path }] : [])}
        below={below}
        above={above}
        onSpot={setSpot}
      />
      {review}
    </div>
  );
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
