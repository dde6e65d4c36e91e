import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Form, Link, useLoaderData } from "@remix-run/react";
import { Fragment } from "react";
import { budgetIntents } from "~/features/budgets/budget-forms.server";
import { BlockedReasons } from "~/features/jobs/blocked-reasons";
import { findBlockedReasons } from "~/features/jobs/find-blocked-reasons.server";
import { isOver } from "~/features/jobs/job-badges";
import { QuestionCard } from "~/features/questions/question-card";
import { applyCures, keepCures, pressedCures } from "~/features/runs/run-cures.server";
import { describeStatuses, RunStatus, WovenProgress } from "~/features/runs/run-status";
import { mostRunItems, RunThis } from "~/features/runs/start-run";
import { partsOf, statesOf } from "~/features/runs/stopped-run";
import { done, runIntent, runOperation, textOf } from "~/http/form-action.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { cancelAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getRunPage } from "~/nouns/pages/operations.server";
import { getProduct } from "~/nouns/products/operations.server";
import { cancelSprintRun, pauseSprintRun, resumeSprintRun } from "~/nouns/sprint-runs/operations.server";
import { PageRefusal, PressForm } from "~/ui/action-form";
import { Alert } from "~/ui/alert";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { isolated } from "~/ui/isolated";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { WriteFields } from "~/ui/write-access";
import { canonicalId } from "~/wire/canonical-id";
import { type SprintRunDetail, sprintRunIdInput } from "~/wire/sprint-runs/contract";
import { retryRun } from "./retry-run.server";
import { RunBudget, RunFacts, Unmerged } from "./run-facts";
import { RunJobs } from "./run-jobs";
import { RunState } from "./run-state";
import { RunSteps } from "./run-steps";

export const loader = productLoader(async ({ actor, productId, request, context, params }) => {
  const runId = canonicalId(params.runId);
  const page = await getRunPage(actor, { product_id: productId, sprint_run_id: runId });
  const { run, order, budgets, why } = page;
  const stories = new Set(run.jobs.map((job) => job.story_id));
  const questions = page.questions.filter(
    (question) =>
      question.id !== run.pause_question_id &&
      (question.sprint_run_id === runId || (question.story_id !== null && stories.has(question.story_id))),
  );
  // The page shows these itself, with a way to answer them.
  const shown = ["paused", "question", ...(run.pause_question ? ["budget"] : [])];
  const reasons = findBlockedReasons(why, context.services.env.appOrigin, shown);
  const leftOut = new URL(request.url).searchParams.getAll("left_out");
  return json({ productId, run, order, budgets, questions, why: reasons, leftOut });
});

export const action = productAction(async ({ actor, productId, form, params }) => {
  const runId = canonicalId(params.runId);
  const run = sprintRunIdInput.parse({ sprint_run_id: runId });
  const here = `/products/${productId}/runs`;
  // A fix repeats the retry that it was offered for.
  if (!form.has("intent") && form.has("retry")) form.set("intent", textOf(form, "retry"));
  const goOn = async (skip: boolean) => {
    const chosen = pressedCures(form);
    await applyCures(actor, productId, chosen, async () => []);
    try {
      return redirect(await retryRun(actor, runId, { skip, chosen }), 303);
    } catch (error) {
      const { plan_first } = await getProduct(actor, { product_id: productId });
      const retry = skip ? "skip" : "try-again";
      return json({ ...keepCures(error, chosen), plan_first, product_id: productId, retry }, 409);
    }
  };
  return runIntent(form, {
    pause: async () => {
      await pauseSprintRun(actor, run);
      return done(form, `${here}/${runId}`, "Run paused");
    },
    resume: async () => redirect(`${here}/${(await resumeSprintRun(actor, run)).id}`, 303),
    cancel: async () => {
      await cancelSprintRun(actor, run);
      return done(form, `${here}/${runId}`, "Run cancelled");
    },
    "try-again": () => goOn(false),
    skip: () => goOn(true),
    "cancel-job": () => runOperation(actor, form, cancelAgentJob, `${here}/${runId}`, "Job cancelled"),
    ...budgetIntents(actor, form, productId, `${here}/${runId}`),
  });
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `Run of ${isolated(data.run.subject)} · Backloom` : "Run · Backloom" },
];

export default function RunPage() {
  const { productId, run, order, budgets, questions, why, leftOut } = useLoaderData<typeof loader>();
  useLiveRevalidation({ stream: "backlog", productId });
  useRowKeys();
  const statuses = statesOf(run);
  const unfinished = run.finished_at === null;
  return (
    <div className="grid gap-5">
      <PageHeader
        crumbs={[
          { label: "Runs", to: `/agents/runs?product=${productId}` },
          ...(run.sprint_id === null || run.sprint_code === null
            ? []
            : [{ label: run.sprint_code, to: `/products/${productId}/sprints/${run.sprint_id}` }]),
        ]}
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            {`Run of ${isolated(run.subject)}`}
            <RunStatus run={run} />
          </span>
        }
        lead={why ? <BlockedReasons reasons={why} /> : null}
        actions={<RunControls run={run} />}
      />
      <PageRefusal />
      {leftOut.length > 0 ? (
        <Alert title="Some tasks were left out">{leftOut.join(", ")}: still blocked, so not part of this run.</Alert>
      ) : null}
      <RunState run={run} productId={productId} />
      <Overlaps overlaps={run.overlaps} />
      {run.pause_question ? <QuestionCard question={run.pause_question} /> : null}
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
      <section aria-label="Progress" className="grid gap-2">
        <WovenProgress statuses={statuses} tall />
        <p className="text-sm text-muted">{describeStatuses(statuses)}</p>
      </section>
      <Unmerged run={run} />
      <RunFacts run={run} />
      {unfinished ? <RunSteps jobs={run.jobs} order={order} /> : null}
      <Section title="Queue" flush>
        <RunJobs run={run} asking={new Set(questions.map(({ id }) => id))} />
      </Section>
      <RunBudget runId={run.id} budgets={budgets} open={unfinished} />
    </div>
  );
}

/** Running tasks that change the same file. Nothing is wrong yet, but they may conflict. */
function Overlaps({ overlaps }: Pick<SprintRunDetail, "overlaps">) {
  if (overlaps.length === 0) return null;
  return (
    <Alert tone="waiting" title="Some tasks change the same files">
      <ul className="grid gap-1">
        {overlaps.map(({ tasks, files, files_total }) => (
          <li key={tasks.map(({ id }) => id).join(" ")}>
            {tasks.map(({ id, code }, index) => (
              <Fragment key={id}>
                {index > 0 ? " and " : null}
                <Link to={`/tasks/${id}`} className="underline">
                  {code}
                </Link>
              </Fragment>
            ))}
            : <span className="font-mono text-xs wrap-anywhere">{files.join(", ")}</span>
            {files_total > files.length ? ` and ${files_total - files.length} more` : null}
          </li>
        ))}
      </ul>
      <p className="text-muted">The task that finishes last merges both changes.</p>
    </Alert>
  );
}

function RunControls({ run }: { run: SprintRunDetail }) {
  if (run.sprint_id === null && run.status === "cancelled") return <RunAgain run={run} />;
  if (run.finished_at !== null) return null;
  return (
    <WriteFields quiet>
      <Confirm
        trigger="Cancel run"
        question="Cancel this run?"
        consequence="This cancels its unfinished jobs. Workers stop at their next heartbeat. Finished work is kept."
        confirmLabel="Cancel run"
        fields={{ intent: "cancel" }}
      />
      {run.status === "paused" ? (
        <Post intent="resume" label="Resume run" />
      ) : (
        <PressForm name="intent" value="pause">
          Pause run
        </PressForm>
      )}
    </WriteFields>
  );
}

function RunAgain({ run }: { run: SprintRunDetail }) {
  const left = partsOf(run).flatMap((part) =>
    part.task_id && !["done", "skipped"].includes(part.status) && !("task_status" in part && isOver(part))
      ? [`task:${part.task_id}`]
      : [],
  );
  const items = [...new Set(left)].slice(0, mostRunItems);
  if (items.length === 0) return null;
  const cures = run.plan_first ? ["plan_first"] : [];
  return <RunThis productId={run.product_id} items={items} cures={cures} label="Run it again" />;
}

function Post({ intent, label }: { intent: string; label: string }) {
  return (
    <Form method="post">
      <SubmitButton name="intent" value={intent} pendingLabel="Saving…">
        {label}
      </SubmitButton>
    </Form>
  );
}
