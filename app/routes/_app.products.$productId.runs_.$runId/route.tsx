import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { jobIdInput } from "~/contract/agent-job";
import { sprintRunIdInput } from "~/contract/sprint-run";
import { cancelAgentJob, whyNotMoving } from "~/domain/agent-jobs/operations.server";
import { getBudgets } from "~/domain/budgets/operations.server";
import { listRunOrder } from "~/domain/dependencies/operations.server";
import { listQuestions } from "~/domain/questions/operations.server";
import {
  cancelSprintRun,
  getSprintRun,
  pauseSprintRun,
  resumeSprint,
  resumeSprintRun,
} from "~/domain/sprint-runs/operations.server";
import { BudgetSection } from "~/features/budgets/budget-section";
import { StandingStill } from "~/features/jobs/standing-still";
import { stillReasons } from "~/features/jobs/still-reasons.server";
import { QuestionCard } from "~/features/questions/question-card";
import { describeStatuses, WovenProgress } from "~/features/runs/woven-progress";
import { budgetIntents } from "~/http/budget-forms.server";
import { done, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { Section } from "~/ui/card";
import { FormErrors } from "~/ui/field";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { StatusPill } from "~/ui/status-pill";
import { useAnswer } from "~/ui/use-answer";
import { Overlaps } from "./overlaps";
import { RunControls } from "./run-controls";
import { RunFacts } from "./run-facts";
import { RunJobs } from "./run-jobs";
import { RunState } from "./run-state";
import { RunWaves } from "./run-waves";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, productId } = await requireProduct(request, context, params);
  const runId = requireId(params.runId, "run");
  const [run, order, budgets, why] = await Promise.all([
    getSprintRun(actor, { sprint_run_id: runId }),
    listRunOrder(actor, { sprint_run_id: runId }),
    getBudgets(actor, { product_id: productId, sprint_run_id: runId }),
    whyNotMoving(actor, { kind: "run", id: runId }),
  ]);
  const open = await listQuestions(actor, { product_id: run.product_id, state: "open", limit: 50 });
  const stories = new Set(run.jobs.map((job) => job.story_id));
  const questions = open.questions.filter(
    (question) =>
      question.id !== run.pause_question_id &&
      (question.sprint_run_id === runId ||
        (question.story_id !== null && stories.has(question.story_id))),
  );
  // The page says these itself, with what answers them.
  const shown = ["paused", "question", ...(run.pause_question ? ["budget"] : [])];
  const reasons = stillReasons(why, context.services.env.appOrigin, shown);
  return json({ productId, run, order, budgets, questions, why: reasons });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const { productId } = await requireProduct(request, context, params);
  const runId = requireId(params.runId, "run");
  const form = await request.formData();
  const run = sprintRunIdInput.parse({ sprint_run_id: runId });
  const here = `/products/${productId}/runs`;
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
    "resume-sprint": async () => {
      const { sprint_id } = await getSprintRun(actor, run);
      const next = await resumeSprint(actor, { sprint_id });
      const sprintPage = `/products/${productId}/sprints/${sprint_id}`;
      return redirect(next ? `${here}/${next.id}` : sprintPage, 303);
    },
    "cancel-job": async () => {
      await cancelAgentJob(actor, readForm(form, jobIdInput));
      return done(form, `${here}/${runId}`, "Job cancelled");
    },
    ...budgetIntents(actor, form, productId, `${here}/${runId}`),
  });
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `Run of ${data.run.sprint_code} · Backloom` : "Run · Backloom" },
];

export default function RunPage() {
  const { productId, run, order, budgets, questions, why } = useLoaderData<typeof loader>();
  const refusal = useAnswer<{ error?: string }>();
  useLiveRevalidation({ stream: "backlog", productId });
  useRowKeys();
  const statuses =
    run.executions.length > 0
      ? run.executions.map(({ status }) => status)
      : run.jobs.map(({ status }) => status);
  const unfinished = run.finished_at === null;
  return (
    <div className="grid gap-5">
      <PageHeader
        crumbs={[
          { label: "Runs", to: `/products/${productId}/runs` },
          { label: run.sprint_code, to: `/products/${productId}/sprints/${run.sprint_id}` },
        ]}
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            Run of {run.sprint_code}
            <StatusPill status={run.status} />
          </span>
        }
        lead={why ? <StandingStill reasons={why} /> : null}
        actions={<RunControls run={run} />}
      />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
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
      <RunFacts run={run} />
      <BudgetSection scope="run" targetId={run.id} budgets={budgets} open={unfinished} />
      {unfinished ? <RunWaves jobs={run.jobs} order={order} /> : null}
      <Section title="Queue" flush>
        <RunJobs run={run} />
      </Section>
    </div>
  );
}
