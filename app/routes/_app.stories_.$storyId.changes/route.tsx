import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { DiffView } from "~/features/diff/diff-view";
import { LineCounts } from "~/features/diff/line-counts";
import { showFiles } from "~/features/diff/show-diff.server";
import { ProductAccess } from "~/features/products/product-access";
import { lookAt } from "~/features/review/look-at.server";
import { markAll } from "~/features/review/mark-all.server";
import { nextPlace, placeInQueue } from "~/features/review/place-in-queue.server";
import { readStoryDiff, viewedOf } from "~/features/review/read-story-diff.server";
import { ReviewFacts } from "~/features/review/review-facts";
import { NextReview, NextSteps, useNextKey } from "~/features/review/review-section";
import { AgentSays, ShownCriteria } from "~/features/review/what-was-done";
import { done, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { reviewStoryBody, reviewVerdicts } from "~/nouns/job-reviews/contract";
import { reviewStory } from "~/nouns/job-reviews/operations.server";
import { getStoryPage } from "~/nouns/pages/operations.server";
import { getProof } from "~/nouns/proof/operations.server";
import { EmptyState } from "~/ui/empty-state";
import { codeAndTitle } from "~/ui/isolated";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";

import { Verdict } from "./verdict";

export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal } = await requireActor(request, context);
  const storyId = requireId(params.storyId, "story");
  const { searchParams } = new URL(request.url);
  const taskId = searchParams.get("task") ?? undefined;
  const [{ story, product }, { criteria }, read] = await Promise.all([
    getStoryPage(actor, { story_id: storyId }),
    getProof(actor, { story_id: storyId }),
    readStoryDiff(actor, storyId, taskId),
  ]);
  const { changes, unjudged, attempts, open_tasks } = read;
  const open = Number(searchParams.get("open") ?? Number.NaN);
  const [files, viewed] = await Promise.all([
    showFiles(
      changes.files.map(({ parts: _parts, ...file }, index) => ({ file, index })),
      principal.user_id,
      open,
    ),
    viewedOf(actor, changes.files),
  ]);
  const jobs = await Promise.all(unjudged.map((each) => getAgentJob(actor, each)));
  await Promise.all(jobs.map(({ id }) => lookAt(actor, id)));
  const last = unjudged.findLast(({ waits }) => waits);
  return json({
    ...{ story, product, criteria, jobs, files, viewed, taskId: taskId ?? null },
    ...(await placeInQueue(actor, last?.job_id ?? "")),
    parts: changes.files.map((file) => file.parts),
    tasks: attempts
      .filter(({ job_id }) => changes.tasks.some((task) => task.job_id === job_id))
      .map(({ task, job_id, attempt, verdict, waits }) => ({
        ...{ ...task, job_id, attempt, waits, isJudged: verdict !== null },
      })),
    finishes: open_tasks === 0 && last !== undefined && taskId === undefined,
  });
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `Changes of ${codeAndTitle(data.story)} · Backloom` : "Changes · Backloom" },
];

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const storyId = requireId(params.storyId, "story");
  const form = await request.formData();
  const back = `/stories/${storyId}/changes${new URL(request.url).search}`;
  return runIntent(form, {
    viewed: async () => {
      await markAll(actor, form);
      return done(form, back);
    },
    review: async () => {
      const goesOn = form.get("verdict") === "approve_and_next";
      if (goesOn) form.set("verdict", "approve");
      const { verdict, summary } = readForm(form, verdictForm);
      const sent = reviewStoryBody.shape.attempts.safeParse(
        form.getAll("attempt").map((each) => {
          const [job_id, attempt] = String(each).split(" ");
          return { job_id, attempt: Number(attempt) };
        }),
      );
      if (!sent.success) return json({ error: "Choose at least one task to judge." }, 422);
      const criteria = form.getAll("criterion").map(String);
      await reviewStory(actor, {
        ...{ story_id: storyId, verdict, summary, attempts: sent.data, criteria },
      });
      if (goesOn) return redirect(await nextPlace(actor, ""), 303);
      return done(form, back, verdict === "approve" ? "Approved" : "Changes requested");
    },
  });
});

const verdictForm = z.object({
  verdict: z.enum(reviewVerdicts),
  summary: reviewStoryBody.shape.summary,
});

/** All that no one has judged of a story, in one diff with a chapter for each task. */
export default function StoryChanges() {
  const {
    story,
    product,
    criteria,
    jobs,
    files,
    viewed,
    parts,
    tasks,
    review,
    next,
    taskId,
    finishes,
  } = useLoaderData<typeof loader>();
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  useNextKey(next);
  const marksOf = ({ index }: { index: number }) => parts[index] ?? [];
  const chapters = tasks
    .map(({ id, code, title }) => ({
      ...{ id, title: `${code} ${title}`, why: "", criterion: null },
      parts: parts.flatMap((ofFile, index) => {
        const own = ofFile.filter(({ task_id }) => task_id === id);
        const hunks = own.flatMap((part) => part.hunks);
        // A file without lines is under each task that changed it last.
        const isWhole =
          ofFile.every((part) => part.hunks.length === 0) && ofFile.at(-1) === own.at(-1);
        if (own.length === 0 || (hunks.length === 0 && !isWhole)) return [];
        return [{ index, hunks: ofFile.length === 1 ? null : hunks }];
      }),
    }))
    .filter(
      (chapter) => chapter.parts.length > 0 || jobs.some(({ task_id }) => task_id === chapter.id),
    );
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
        {review ? <ReviewFacts review={review} inFull /> : null}
        {jobs.length === 0 ? null : (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
            <span>{countText(files.length, "file")}</span>
            <LineCounts
              additions={files.reduce((sum, { additions }) => sum + additions, 0)}
              deletions={files.reduce((sum, { deletions }) => sum + deletions, 0)}
            />
            <a href="#review" className="text-accent underline pointer-coarse:py-3">
              Review
            </a>
            <TaskFilter tasks={tasks} taskId={taskId} />
          </div>
        )}
        <ShownCriteria criteria={criteria} />
        {jobs.length === 0 ? (
          <EmptyState title="Nothing to judge" action={<NextSteps next={next} />}>
            A person has judged all that agents did for this story.
          </EmptyState>
        ) : (
          <DiffView
            key={jobs.map(({ id, attempt }) => `${id} ${attempt}`).join()}
            addressOf={({ index }) =>
              `/stories/${story.id}/file?index=${index}${taskId === null ? "" : `&task=${taskId}`}`
            }
            files={files}
            chapters={chapters}
            aside={({ id }) => <Says of={id} />}
            known={viewed}
            marksOf={marksOf}
            below={noComments}
            above={noComments}
          />
        )}
        <Verdict {...{ tasks, criteria, finishes, taskId, next }} />
        <NextReview next={next} />
      </div>
    </ProductAccess>
  );
}

const noComments = new Map();

/** What the agents say of a task's part, and where it can be commented on line by line. */
function Says({ of }: { of: string | undefined }) {
  const { jobs } = useLoaderData<typeof loader>();
  return jobs
    .filter(({ task_id }) => task_id === of)
    .map((job) => (
      <div key={job.id} className="grid gap-2">
        <AgentSays job={job} />
        <Link to={`/jobs/${job.id}/changes?own=1`} className="text-accent underline">
          Comment on lines of {job.task_code}
        </Link>
      </div>
    ));
}

function TaskFilter({
  tasks,
  taskId,
}: {
  tasks: readonly { id: string; code: string; isJudged: boolean }[];
  taskId: string | null;
}) {
  const look =
    "text-muted hover:underline aria-[current=page]:font-medium aria-[current=page]:text-ink";
  return (
    <nav aria-label="Changes of" className="flex flex-wrap gap-x-3 gap-y-1">
      <Link to="?" aria-current={taskId === null ? "page" : undefined} className={look}>
        All tasks
      </Link>
      {tasks
        .filter(({ isJudged }) => !isJudged)
        .map(({ id, code }) => (
          <Link
            key={id}
            to={`?task=${id}`}
            aria-current={taskId === id ? "page" : undefined}
            className={look}
          >
            {code}
          </Link>
        ))}
    </nav>
  );
}
