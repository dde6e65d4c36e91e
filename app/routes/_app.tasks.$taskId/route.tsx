import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { movableColumns } from "~/components/board/columns";
import { Button } from "~/components/button";
import { Section } from "~/components/card";
import { JobCard } from "~/components/jobs/job-card";
import { renderMarkdown } from "~/components/markdown.server";
import { PageHeader } from "~/components/page-header";
import { Prose } from "~/components/prose";
import { QuestionCard } from "~/components/questions/question-card";
import { RelativeTime } from "~/components/relative-time";
import { StatusPill } from "~/components/status-pill";
import { WriteAccessProvider, WriteFields } from "~/components/write-access";
import { editTaskInput, moveTaskInput, setTaskStatusInput } from "~/contract/task";
import { whyNotMoving } from "~/domain/agent-jobs/why-not-moving.server";
import { getTaskPage } from "~/domain/pages/get-task-page.server";
import { deleteTask } from "~/domain/tasks/delete-task.server";
import { editTask } from "~/domain/tasks/edit-task.server";
import { moveTask } from "~/domain/tasks/move-task.server";
import { setTaskStatus } from "~/domain/tasks/set-task-status.server";
import { done, readForm, runForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { TaskEdit } from "./task-edit";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor } = await requireActor(request, context);
  const taskId = requireId(params.taskId, "task");
  const [page, why] = await Promise.all([
    getTaskPage(actor, taskId),
    whyNotMoving(actor, { kind: "task", id: taskId }),
  ]);
  return json({
    page,
    why: why.moving || page.task.status === "done" ? null : why.text,
    plan: await renderMarkdown(page.task.implementation_plan),
    description: await renderMarkdown(page.task.description),
  });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const taskId = requireId(params.taskId, "task");
  const form = await request.formData();
  const back = `/tasks/${taskId}`;
  form.set("task_id", taskId);
  return runIntent(form, {
    "set-status": async () => {
      await setTaskStatus(actor, readForm(form, setTaskStatusInput));
      return done(form, back, "Moved");
    },
    edit: () => {
      // An unticked box is not sent; on this form it means "no".
      const boxes = {
        verify_only: form.has("verify_only"),
        requires_opus: form.has("requires_opus"),
      };
      return runForm(
        form,
        editTaskInput,
        async (input) => {
          await editTask(actor, { ...input, ...boxes });
          return done(form, back, "Saved");
        },
        { description: "", implementation_plan: null, repo_url: null, estimated_minutes: null },
      );
    },
    move: async () => {
      await moveTask(actor, readForm(form, moveTaskInput));
      return done(form, back, "Moved");
    },
    delete: async () => {
      const { story } = await getTaskPage(actor, taskId);
      await deleteTask(actor, { task_id: taskId });
      return redirect(`/stories/${story.id}`, 303);
    },
  });
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${data.page.task.code} ${data.page.task.title} · Backloom` : "Task · Backloom" },
];

export default function TaskPage() {
  const { page, why, plan, description } = useLoaderData<typeof loader>();
  const { task, product, story, jobs, questions, history } = page;
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  return (
    <WriteAccessProvider reason={product.archived ? "This product is archived." : null}>
      <PageHeader
        crumbs={[
          { label: product.name, to: `/products/${product.id}/backlog` },
          { label: `${story.code} ${story.title}`, to: `/stories/${story.id}` },
        ]}
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            <span className="font-mono text-base text-muted">{task.code}</span>
            {task.title}
            <StatusPill status={task.status} />
          </span>
        }
        lead={why}
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 gap-5">
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          {description ? (
            <Section title="Description">
              <Prose content={description} />
            </Section>
          ) : null}
          <Section title="Implementation plan">
            {plan ? (
              <Prose content={plan} />
            ) : (
              <p className="text-sm text-muted">
                No plan yet. A run starts only when every task has one.
              </p>
            )}
          </Section>
          <Section title={`Jobs (${jobs.length})`}>
            {jobs.length === 0 ? (
              <p className="text-sm text-muted">
                No agent has worked on it yet. Start a run of its sprint.
              </p>
            ) : (
              <div className="grid gap-3">
                {jobs.map((job) => (
                  <JobCard key={job.id} job={job} />
                ))}
              </div>
            )}
          </Section>
        </div>
        <div className="grid gap-5">
          <Section title="Move to…">
            <WriteFields quiet>
              <ActionForm className="flex flex-wrap gap-2" aria-label={`Move ${task.code}`}>
                <input type="hidden" name="intent" value="set-status" />
                {movableColumns.map(({ status, label }) => (
                  <Button
                    key={status}
                    type="submit"
                    size="sm"
                    name="status"
                    value={status}
                    disabled={status === task.status}
                  >
                    {label}
                  </Button>
                ))}
              </ActionForm>
            </WriteFields>
            {history.length > 0 ? (
              <ol className="mt-3 grid gap-1 text-xs text-muted">
                {history.map((change) => (
                  <li key={change.id} className="flex items-center gap-2">
                    <StatusPill status={change.to_status} />
                    <RelativeTime at={change.changed_at} />
                  </li>
                ))}
              </ol>
            ) : null}
          </Section>
          <TaskEdit page={page} />
        </div>
      </div>
    </WriteAccessProvider>
  );
}
