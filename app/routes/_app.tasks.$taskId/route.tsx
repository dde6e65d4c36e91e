import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { Comments } from "~/features/comments/comments";
import { commentsBefore, showComments } from "~/features/comments/comments.server";
import { DependenciesSection } from "~/features/dependencies/dependencies";
import { FilesSection } from "~/features/files/file-list";
import { PageTitle, TaskTexts } from "~/features/in-place/item-texts";
import { TasksOfSelection } from "~/features/items/lists/pasted-text";
import { RowActions } from "~/features/items/row-actions";
import { findBlockedReasons } from "~/features/jobs/find-blocked-reasons.server";
import { waitsForReview } from "~/features/jobs/job-badges";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { ProductAccess } from "~/features/products/product-access";
import { ProofPart } from "~/features/proof/proof-part";
import { QuestionCard } from "~/features/questions/question-card";
import { SentBack, TaskReviews } from "~/features/review/remarks";
import { Meets } from "~/features/runs/meets";
import { RunThis } from "~/features/runs/start-run";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { clearlyBest, type ScoreboardRow, toRow } from "~/nouns/insights/scoreboard";
import { getTaskPage } from "~/nouns/pages/operations.server";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { codeAndTitle } from "~/ui/isolated";
import { percentText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { WriteFields } from "~/ui/write-access";
import { canonicalId } from "~/wire/canonical-id";
import type { TaskForecast } from "~/wire/forecasts/contract";
import type { TaskPageData } from "~/wire/pages/contract";
import { actOnTask } from "./task-action.server";
import { Standing, TaskHistory, TaskJobs } from "./task-jobs";
import { TaskProperties } from "./task-properties";

export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = personLoader(async ({ actor, principal, request, context, params }) => {
  const id = canonicalId(params.taskId);
  const comments_before = commentsBefore(new URL(request.url).searchParams);
  const read = await getTaskPage(actor, { task_id: id, comments_before });
  const { why, comments: said, forecast, proof, scoreboard, ...page } = read;
  const labels = (page.task.labels ?? []).map(({ name }) => name);
  const [comments, plan, description] = await Promise.all([
    showComments(said, { kind: "task", id, principal }),
    renderMarkdown(page.task.implementation_plan, principal.user_id),
    renderMarkdown(page.task.description, principal.user_id),
  ]);
  return json({
    page,
    comments,
    forecast,
    proof,
    best: scoreboard && clearlyBest(scoreboard.rows.map(toRow), labels),
    plan,
    description,
    why: why && findBlockedReasons(why, context.services.env.appOrigin),
  });
});

export const action = writeAction(async ({ actor, form, params }) =>
  actOnTask(actor, canonicalId(params.taskId), form),
);

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${codeAndTitle(data.page.task)} · Backloom` : "Task · Backloom" },
];

export default function TaskPage() {
  const { page, comments, forecast, proof, best, why, plan, description } = useLoaderData<typeof loader>();
  const { task, product, story, jobs, questions, history } = page;
  const toReview = jobs.find(waitsForReview);
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  return (
    <ProductAccess productId={product.id} archived={product.archived}>
      <RowActions productId={product.id} />
      <TasksOfSelection productId={product.id} storyId={story.id} />
      <PageHeader
        crumbs={[
          { label: product.name, to: `/products/${product.id}/backlog` },
          { label: codeAndTitle(story), to: `/stories/${story.id}` },
        ]}
        title={<PageTitle kind="task" item={task} fields={{ intent: "edit", task_id: task.id }} />}
        lead={
          <>
            <Standing page={page} why={why} />
            <SentBack page={page} />
            <Meets task={task} meets={forecast.meets} />
            {best ? <Advice best={best} productId={product.id} /> : null}
          </>
        }
        actions={
          (task.status === "todo" && jobs.every((job) => job.finished_at !== null)) || task.status === "failed" ? (
            <RunThis
              productId={product.id}
              items={[`task:${task.id}`]}
              label={jobs.length > 0 ? "Run it again" : "Run this"}
            />
          ) : toReview ? (
            <ButtonLink to={`/jobs/${toReview.id}/changes`} tone="primary">
              Review changes
            </ButtonLink>
          ) : null
        }
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 gap-5">
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          <TaskTexts task={task} description={description} plan={plan} />
          <FilesSection
            files={page.files}
            target={{ product_id: product.id, task_id: task.id }}
            viewerId={comments.viewerId}
            isOwner={product.is_owner}
          />
          <TaskJobs jobs={jobs} questions={questions} />
          <Comments
            comments={{ ...comments, productId: product.id }}
            isOwner={product.is_owner}
            toAgent={jobs.some(({ finished_at }) => finished_at === null)}
          />
          {page.reviews.length > 0 ? (
            <Section title={`Reviews (${page.reviews.length})`}>
              <TaskReviews reviews={page.reviews} />
            </Section>
          ) : null}
          <ProofPart proof={proof} title={`Proof of ${story.code}`} />
        </div>
        <div className="grid gap-5">
          <TaskProperties page={page} />
          <DependenciesSection kind="task" id={task.id} dependencies={page.dependencies} isOwner={product.is_owner}>
            <StartBlocked page={page} />
          </DependenciesSection>
          <ProbablyTouches {...forecast} />
          <TaskHistory history={history} />
        </div>
      </div>
    </ProductAccess>
  );
}

/** A person may start a blocked task after reading what blocks it. */
function StartBlocked({ page: { task, waits_for } }: { page: TaskPageData }) {
  if (waits_for.length === 0 || (task.status !== "todo" && task.status !== "failed")) return null;
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Start anyway"
        size="sm"
        question={`Start ${task.code} now?`}
        consequence={`It is blocked by ${waits_for.join(", ")}. Agents cannot start it yet. You can, and your activity records it.`}
        confirmLabel="Start"
        confirmTone="primary"
        fields={{ intent: "set-status", status: "in_progress", confirmed: "on" }}
      />
    </WriteFields>
  );
}

/** Who is clearly best at such tasks, in one line. Nothing is chosen by it. */
function Advice({ best, productId }: { best: ScoreboardRow; productId: string }) {
  const { agent, model, label, first_pass, finished } = best;
  return (
    <p className="text-sm text-muted">
      {agent}
      {model === null ? "" : ` with ${model}`} was right at once in {percentText(first_pass ?? 0)} of {finished} tasks
      {label === null ? "" : ` labeled ${label}`}, clearly more than the others:{" "}
      <Link to={`/insights/agents?product=${productId}`} className="text-accent underline">
        compare
      </Link>
      .
    </p>
  );
}

const mostPaths = 5;

/** Files that earlier changes with such words touched, or a folder; after the delivery, how many of them it was. */
function ProbablyTouches({ touches, result }: Pick<TaskForecast, "touches" | "result">) {
  if (touches.length === 0) return null;
  return (
    <Section title={result ? "Was expected to touch" : "Probably touches"}>
      <ul className="grid gap-1.5 text-sm">
        {touches.slice(0, mostPaths).map(({ path, is_folder, in: times, of }) => (
          <li key={path} className="min-w-0">
            <span className="font-mono text-xs wrap-anywhere">
              {is_folder ? <span className="font-sans">Mostly in </span> : null}
              {path}
            </span>
            <span className="block text-xs text-muted">
              {times === null ? "named in the task" : `in ${times} of ${of} similar changes`}
            </span>
          </li>
        ))}
      </ul>
      {touches.length > mostPaths ? (
        <p className="mt-2 text-xs text-muted">and {touches.length - mostPaths} more</p>
      ) : null}
      {result ? (
        <p className="mt-3 text-sm">
          Named {result.hit} of {result.changed} changed {result.changed === 1 ? "file" : "files"}
        </p>
      ) : null}
    </Section>
  );
}
