import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { DiffView } from "~/features/diff/diff-view";
import { showFiles, sizeOf } from "~/features/diff/show-diff.server";
import { filesOfPage, numberIn, pageOfFiles } from "~/features/diff/shown-diff";
import { useViewed } from "~/features/diff/use-viewed";
import { ProductAccess } from "~/features/products/product-access";
import { markAll, nextPage, noteLookAt, positionInQueue } from "~/features/review/changes-page.server";
import { fileMarks, MarkList } from "~/features/review/mark-list";
import { Remarks } from "~/features/review/remarks";
import { NextSteps, ReviewBar } from "~/features/review/review-bar";
import { ReviewHead } from "~/features/review/review-head";
import { taskChapters } from "~/features/review/shown-chapters";
import {
  aboutFiles,
  commentOnStory,
  readAttempts,
  readOpen,
  readStoryDiff,
  storyCommentForm,
  viewedOf,
} from "~/features/review/story-changes.server";
import { useComments } from "~/features/review/use-comments";
import { undoFor, verdictGiven, verdictUndone } from "~/features/review/verdict-answer.server";
import { AgentSays, GuideSummary } from "~/features/review/what-was-done";
import { done, readForm, runIntent, runOperation } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getStoryPage } from "~/nouns/pages/operations.server";
import { getProof } from "~/nouns/proof/operations.server";
import { listJobComments } from "~/nouns/reviews/job-comments.server";
import { deleteJobComment, listSameFiles, reviewStory, undoStoryReview } from "~/nouns/reviews/operations.server";
import { positionComments } from "~/nouns/reviews/story-lines";
import { EmptyState } from "~/ui/empty-state";
import { CheckField } from "~/ui/field";
import { Fold } from "~/ui/fold";
import { codeAndTitle } from "~/ui/isolated";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import { canonicalId } from "~/wire/canonical-id";
import { reviewStoryBody, reviewVerdicts } from "~/wire/reviews/contract";
import type { Marked } from "~/wire/reviews/marks";

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
  const open = numberIn(searchParams, "open");
  const [files, viewed] = await Promise.all([
    readOpen(actor, read, shown, open).then((each) => showFiles(each, principal.user_id, open)),
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
    reviews: written.flatMap(({ reviews }) => reviews).sort((a, b) => a.created_at.localeCompare(b.created_at)),
    ...page,
    tasks,
    totals: sizeOf(changes.files.map((file) => ({ file }))),
    about: aboutFiles(storyId, taskId, read, shown),
    unnamed: tasks.filter(({ job_id }) => changes.rest.some((each) => each.path === null && each.job_id === job_id)),
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
      await reviewStory(actor, {
        story_id: storyId,
        verdict,
        summary,
        attempts: chosen,
        criteria,
        confirm,
        ...undoFor(form),
      });
      return verdictGiven(form, { verdict, what: countText(chosen.length, "task"), back, next });
    },
    "undo-review": async () => {
      await undoStoryReview(actor, { story_id: storyId });
      return verdictUndone(form, back);
    },
  });
});

const verdictForm = z.object({ verdict: z.enum(reviewVerdicts), summary: reviewStoryBody.shape.summary });

/** All that no one has judged of a story, in one diff with a chapter for each task. */
export default function StoryChanges() {
  const data = useLoaderData<typeof loader>();
  const { story, product, criteria, jobs, says, totals, about, tasks, queue, taskId, finishes, comments } = data;
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  const of = jobs.map(({ id, attempt }) => `${id} ${attempt}`).join();
  const { below, above, apart, setSpot } = useComments(comments, { of });
  const viewed = useViewed(data.viewed, ({ index }) => about[index]?.marks ?? [], of);
  const open = tasks.filter(({ id, isJudged }) => !isJudged && (taskId === null || id === taskId));
  const unseen = totals.files - viewed.count;
  const marked = says.flatMap((each) => each.marked);
  const drafts = comments.filter(({ draft }) => draft);
  return (
    <ProductAccess productId={product.id}>
      <div className="grid gap-3">
        <PageHeader
          crumbs={[
            { label: product.name, to: `/products/${product.id}/backlog` },
            { label: story.code, to: `/stories/${story.id}` },
          ]}
          title={`Changes of ${codeAndTitle(story)}`}
        />
        <ReviewHead
          review={data.review}
          size={jobs.length === 0 ? null : totals}
          criteria={criteria}
          marked={marked}
          linkTo={({ path }) => {
            const file = data.files.find((each) => each.path === path);
            return file ? `#file-${file.index}` : null;
          }}
          sameFiles={data.sameFiles}
          details={<AgentsSay jobs={jobs} says={says} />}
        >
          {jobs.length === 0 ? null : <TaskFilter tasks={tasks} taskId={taskId} />}
        </ReviewHead>
        <Remarks reviews={data.reviews} comments={comments} />
        {data.unnamed.map(({ job_id, attempt, code }) => (
          <p key={job_id}>
            {code} changes too many files to be shown with the others.{" "}
            <Link to={`/jobs/${job_id}/changes?attempt=${attempt}`} className="text-accent underline">
              {`Changes of ${code}`}
            </Link>
          </p>
        ))}
        {jobs.length === 0 ? (
          <EmptyState title="Nothing left to review">
            What agents do for this story is here until a person reviews it.
          </EmptyState>
        ) : (
          <DiffView
            key={of}
            addressOf={({ index }) => about[index]?.address ?? ""}
            files={data.files}
            chapters={data.chapters}
            page={data}
            aside={({ id }) => {
              const own = jobs.filter(({ task_id }) => task_id === id);
              return own.length === 0 ? null : (
                <Fold label="What the agent says">
                  <AgentsSay jobs={own} says={says} />
                </Fold>
              );
            }}
            viewed={viewed}
            flagOf={(path) => fileMarks(marked, path)}
            below={below}
            above={above}
            onSpot={setSpot}
          />
        )}
        {apart}
      </div>
      <ReviewBar
        isOpen={open.length > 0}
        reason={null}
        viewed={{ count: viewed.count, total: totals.files }}
        queue={queue}
        drafts={drafts.length}
        criteria={criteria}
        confirms={finishes ? criteria : []}
        also={[
          unseen > 0 ? `${countText(unseen, "file")} not viewed. ` : "",
          finishes && open.length > 1 ? "Approving all of them finishes the story. " : "",
        ].join("")}
        after={<NextSteps next={queue.next} />}
        judged={open.length > 1 ? countText(open.length, "task") : null}
      >
        {open.map(({ job_id, attempt, code, title, waits }) => (
          <CheckField
            key={`${job_id} ${attempt}`}
            name="attempt"
            value={`${job_id} ${attempt}`}
            defaultChecked
            label={`${code} ${title}`}
            description={aboutTask(waits, drafts.filter((each) => each.job_id === job_id).length)}
          />
        ))}
      </ReviewBar>
    </ProductAccess>
  );
}

function aboutTask(waits: boolean, drafts: number): string | undefined {
  const parts = [
    waits ? null : "Already done: your approval is recorded.",
    drafts === 0 ? null : `${countText(drafts, "comment")} not sent yet.`,
  ].filter((part) => part !== null);
  return parts.join(" ") || undefined;
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
      <div key={job.id} className="grid gap-3">
        {summary ? <MarkList marked={summary.marked} inFull /> : null}
        <AgentSays job={job}>{summary ? <GuideSummary chapters={summary.chapters} /> : null}</AgentSays>
      </div>
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
