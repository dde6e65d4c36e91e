import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { whyNotMoving } from "~/domain/agent-jobs/operations.server";
import { getBudgets } from "~/domain/budgets/operations.server";
import { getTaskPage } from "~/domain/pages/operations.server";
import { getProof } from "~/domain/proof/operations.server";
import { BudgetSection } from "~/features/budgets/budget-section";
import { DependenciesSection } from "~/features/dependencies/dependencies";
import { TaskTexts } from "~/features/in-place/task-texts";
import { PageTitle } from "~/features/in-place/thing-titles";
import { TasksOfSelection } from "~/features/items/keys/tasks-of-selection";
import { ThingsAtHand } from "~/features/items/things-at-hand";
import { StandingStill } from "~/features/jobs/standing-still";
import { stillReasons } from "~/features/jobs/still-reasons.server";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { ProofPart } from "~/features/proof/proof-part";
import { QuestionCard } from "~/features/questions/question-card";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { PageHeader } from "~/ui/page-header";
import { WriteAccessProvider } from "~/ui/write-access";
import { BeginWaiting } from "./begin-waiting";
import { ImportedReviews } from "./imported-reviews";
import { actOnTask } from "./task-action.server";
import { TaskHistory } from "./task-history";
import { TaskJobs } from "./task-jobs";
import { TaskProperties } from "./task-properties";

export { shouldRevalidate } from "~/live/unreachable";
export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal } = await requireActor(request, context);
  const taskId = requireId(params.taskId, "task");
  const [page, why] = await Promise.all([
    getTaskPage(actor, { task_id: taskId }),
    whyNotMoving(actor, { kind: "task", id: taskId }),
  ]);
  const [proof, budgets] = await Promise.all([
    getProof(actor, { story_id: page.story.id }),
    getBudgets(actor, { product_id: page.product.id, task_id: taskId }),
  ]);
  const [plan, description] = await Promise.all([
    renderMarkdown(page.task.implementation_plan, principal.user_id),
    renderMarkdown(page.task.description, principal.user_id),
  ]);
  return json({
    page,
    proof,
    budgets,
    plan,
    description,
    why: page.task.status === "done" ? null : stillReasons(why, context.services.env.appOrigin),
  });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  return actOnTask(actor, requireId(params.taskId, "task"), request);
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${data.page.task.code} ${data.page.task.title} · Backloom` : "Task · Backloom" },
];

export default function TaskPage() {
  const { page, proof, budgets, why, plan, description } = useLoaderData<typeof loader>();
  const { task, product, story, jobs, questions, history } = page;
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  return (
    <WriteAccessProvider reason={product.archived ? "This product is archived." : null}>
      <ThingsAtHand productId={product.id} />
      <TasksOfSelection productId={product.id} storyId={story.id} />
      <PageHeader
        crumbs={[
          { label: product.name, to: `/products/${product.id}/backlog` },
          { label: `${story.code} ${story.title}`, to: `/stories/${story.id}` },
        ]}
        title={<PageTitle kind="task" thing={task} fields={{ intent: "edit", task_id: task.id }} />}
        lead={why ? <StandingStill reasons={why} /> : null}
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 gap-5">
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          <TaskTexts task={task} description={description} plan={plan} />
          <TaskJobs jobs={jobs} />
          <ImportedReviews reviews={page.imported_reviews} />
          <ProofPart proof={proof} title={`Proof of ${story.code}`} />
        </div>
        <div className="grid gap-5">
          <TaskProperties page={page} />
          <DependenciesSection
            kind="task"
            id={task.id}
            dependencies={page.dependencies}
            isOwner={product.is_owner}
          >
            <BeginWaiting page={page} />
          </DependenciesSection>
          <BudgetSection
            scope="task"
            targetId={task.id}
            budgets={budgets}
            open={task.status !== "done"}
          />
          <TaskHistory history={history} />
        </div>
      </div>
    </WriteAccessProvider>
  );
}
