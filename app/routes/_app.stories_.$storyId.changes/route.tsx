import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { DiffView } from "~/features/diff/diff-view";
import { LineCounts } from "~/features/diff/line-counts";
import { showFiles } from "~/features/diff/show-diff.server";
import { filesOfPage, numberIn, pageOfFiles } from "~/features/diff/shown-diff";
import { ProductAccess } from "~/features/products/product-access";
import { markAll, nextPage, noteLookAt, positionInQueue } from "~/features/review/changes-page.server";
import { MarkList } from "~/features/review/mark-list";
import { ReviewFacts, SameFiles } from "~/features/review/review-facts";
import { useNextKey } from "~/features/review/review-keys";
import { NextReview, NextSteps } from "~/features/review/review-section";
import { taskChapters } from "~/features/review/shown-chapters";
import {
  aboutFiles,
  commentOnStory,
  readAttempts,
  readStoryDiff,
  storyCommentForm,
  viewedOf,
} from "~/features/review/story-changes.server";
import { useComments } from "~/features/review/use-comments";
import { AgentSays, GuideSummary, ShownCriteria } from "~/features/review/what-was-done";
import { done, readForm, runIntent, runOperation } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getStoryPage } from "~/nouns/pages/operations.server";
import { getProof } from "~/nouns/proof/operations.server";
import { listJobComments } from "~/nouns/reviews/job-comments.server";
import { deleteJobComment, listSameFiles, reviewStory } from "~/nouns/reviews/operations.server";
import { positionComments } from "~/nouns/reviews/story-lines";
import { EmptyState } from "~/ui/empty-state";
import { codeAndTitle } from "~/ui/isolated";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import { canonicalId } from "~/wire/canonical-id";
import { reviewStoryBody, reviewVerdicts } from "~/wire/reviews/contract";
import type { Marked } from "~/wire/reviews/marks";
import { Verdict } from "./verdict";

export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = personLoader(async ({ actor, principal, request, params }) => {
  const storyId = canonicalId(params.storyId);
  const { searchParams } = new URL(request.url);
  const taskId = searchParams.get("task") ?? undefined;
  const [{ story, product }, { criteria }, read] = await Promise.all([
    getStoryPage(actor, { story_id: storyId }),
    getProof(actor, { story_id: storyId }),
    readStoryDiff(actor, storyId, taskId),
  ]);
  const { changes, unjudged, attempts, open_tasks } = read;
  const tasks = attempts
    .filter(({ job_id }) => changes.tasks.some((task) => task.job_id === job_id))
    .map(({ task, job_id, attempt, verdict, waits }) => ({
      ...task,
      job_id,
      attempt,
      waits,
      isJudged: verdict !== null,
    }));
  const unjudgedTasks = new Set(unjudged.map(({ task }) => task.id));
  const parts = changes.files.map((file) => file.parts);
  const page = pageOfFiles(taskChapters(tasks, parts, unjudgedTasks), numberIn(searchParams, "files"));
  const shown = filesOfPage(
    changes.files.map(({ parts: _parts, ...file }, index) => ({ file, index })),
    page.chapters,
  );
  const [files, viewed] = await Promise.all([
    showFiles(shown, principal.user_id, numberIn(searchParams, "open")),
    viewedOf(actor, changes.files),
  ]);
  const jobs = await Promise.all(unjudged.map((each) => getAgentJob(actor, each)));
  const says = unjudged.map(({ job_id, marked, chapters }) => ({ job_id, marked, chapters }));
  const written = await Promise.all(jobs.map(({ id }) => listJobComments(actor, { job_id: id }, null)));
  await Promise.all(jobs.map(({ id }) => noteLookAt(request, actor, id)));
  const last = unjudged.findLast(({ waits }) => waits);
  const whole = { job_id: last?.job_id ?? "", whole_story: true };
  return json({
    story,
    product,
    criteria,
    jobs,
    says,
    files,
    viewed,
    taskId: taskId ?? null,
    sameFiles: last ? await listSameFiles(actor, whole) : [],
    ...(await positionInQueue(actor, last?.job_id ?? "")),
    comments: positionComments(
      read,
      written.flatMap(({ comments }) => comments),
    ),
    ...page,
    tasks,
    totals: {
      files: changes.files.length,
      additions: changes.files.reduce((sum, { additions }) => sum + additions, 0),
      deletions: changes.files.reduce((sum, { deletions }) => sum + deletions, 0),
    },
    about: aboutFiles(storyId, taskId, read, shown),
    finishes: open_tasks === 0 && last !== undefined && taskId === undefined,
  });
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `Changes of ${codeAndTitle(data.story)} · Backloom` : "Changes · Backloom" },
];

export const action = writeAction(async ({ actor, form, request, params }) => {
  const storyId = canonicalId(params.storyId);
  const back = `/stories/${storyId}/changes${new URL(request.url).search}`;
  const task_id = new URL(request.url).searchParams.get("task") ?? undefined;
  return runIntent(form, {
    "add-comment": async () => {
      const story = { story_id: storyId, task_id };
      await commentOnStory(actor, story, readForm(form, storyCommentForm));
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
      const { verdict, summary } = readForm(form, verdictForm);
      const chosen = readAttempts(form.getAll("attempt"));
      if (chosen === null) return json({ error: "Choose at least one task to judge." }, 422);
      const criteria = form.getAll("criterion").map(String);
      const ticked = form.getAll("confirm").map(String);
      const confirm = Object.fromEntries(chosen.map(({ job_id }) => [job_id, ticked]));
      const next = goesOn ? await nextPage(actor, ...chosen.map(({ job_id }) => job_id)) : null;
      await reviewStory(actor, { story_id: storyId, verdict, summary, attempts: chosen, criteria, confirm });
      if (next !== null) return redirect(next, 303);
      return done(form, back, verdict === "approve" ? "Approved" : "Changes requested");
    },
  });
});

const verdictForm = z.object({ verdict: z.enum(reviewVerdicts), summary: reviewStoryBody.shape.summary });

/** All that no one has judged of a story, in one diff with a chapter for each task. */
export default function StoryChanges() {
  const data = useLoaderData<typeof loader>();
  const {
    story,
    product,
    criteria,
    jobs,
    says,
    sameFiles,
    files,
    viewed,
    totals,
    about,
    chapters,
    tasks,
    review,
    next,
    taskId,
    finishes,
    comments,
  } = data;
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  useNextKey(next);
  const of = jobs.map(({ id, attempt }) => `${id} ${attempt}`).join();
  const { below, above, apart, setSpot } = useComments(comments, { of });
  return (
    <ProductAccess productId={product.id}>
      <div className="grid gap-4">
        <PageHeader
          crumbs={[
            { label: product.name, to: `/products/${product.id}/backlog` },
            { label: story.code, to: `/stories/${story.id}` },
          ]}
          title={`Changes of ${codeAndTitle(story)}`}
        />
        {review ? <ReviewFacts review={{ ...review, marks: [] }} inFull /> : null}
        {jobs.length === 0 ? null : (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
            <span>{countText(totals.files, "file")}</span>
            <LineCounts {...totals} />
            <a href="#review" className="text-accent underline pointer-coarse:py-3">
              Review
            </a>
            <TaskFilter tasks={tasks} taskId={taskId} />
          </div>
        )}
        <SameFiles others={sameFiles} />
        <ShownCriteria criteria={criteria} />
        {jobs.length === 0 ? (
          <EmptyState title="Nothing left to review" action={<NextSteps next={next} />}>
            What agents do for this story is here until a person reviews it.
          </EmptyState>
        ) : (
          <DiffView
            key={of}
            addressOf={({ index }) => about[index]?.address ?? ""}
            files={files}
            chapters={chapters}
            page={data}
            aside={({ id }) => <AgentsSay jobs={jobs.filter(({ task_id }) => task_id === id)} says={says} />}
            known={viewed}
            marksOf={({ index }) => about[index]?.marks ?? []}
            below={below}
            above={above}
            onSpot={setSpot}
          />
        )}
        {apart}
        <Verdict
          tasks={tasks}
          criteria={criteria}
          finishes={finishes}
          taskId={taskId}
          next={next}
          comments={comments}
        />
        <NextReview next={next} />
      </div>
    </ProductAccess>
  );
}

/** What was found about an attempt, and how its agent explains it. */
interface Says {
  job_id: string;
  marked: readonly Marked[];
  chapters: readonly { title: string; why: string }[] | null;
}

/** What the agents say of a task's part. */
function AgentsSay({ jobs, says }: { jobs: readonly AgentJob[]; says: readonly Says[] }) {
  return jobs.map((job) => {
    const summary = says.find(({ job_id }) => job_id === job.id);
    return (
      <AgentSays key={job.id} job={job} above={summary ? <MarkList marked={summary.marked} inFull /> : null}>
        {summary ? <GuideSummary chapters={summary.chapters} /> : null}
      </AgentSays>
    );
  });
}

/** The parts of a story that no one has judged, each on its own. */
function TaskFilter({
  tasks,
  taskId,
}: {
  tasks: readonly { id: string; code: string; isJudged: boolean }[];
  taskId: string | null;
}) {
  const look = "text-muted hover:underline aria-[current=page]:font-medium aria-[current=page]:text-ink";
  return (
    <nav aria-label="Changes of" className="flex flex-wrap gap-x-3 gap-y-1">
      <Link to="?" aria-current={taskId === null ? "page" : undefined} className={look}>
        All tasks
      </Link>
      {tasks
        .filter(({ isJudged }) => !isJudged)
        .map(({ id, code }) => (
          <Link key={id} to={`?task=${id}`} aria-current={taskId === id ? "page" : undefined} className={look}>
            {code}
          </Link>
        ))}
    </nav>
  );
}
