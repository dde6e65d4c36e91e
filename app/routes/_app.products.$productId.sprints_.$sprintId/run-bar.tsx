import { Form, Link } from "@remix-run/react";
import type { Forecast } from "~/contract/forecast";
import type { SprintFrame } from "~/contract/page-data";
import type { Blocker, Preflight } from "~/contract/sprint-run";
import { AmountFields } from "~/features/budgets/amount-fields";
import { ForecastLine } from "~/features/budgets/forecast-line";
import { RemoveForm } from "~/features/dependencies/remove-dependency";
import { BlockerList, fixAll, PlanCures } from "~/features/runs/blocker-list";
import { BeginsFrom, StartOver } from "~/features/runs/start-over";
import { countStopped, RetryForms, stoppedTitle } from "~/features/runs/stopped-run";
import { WovenProgress } from "~/features/runs/woven-progress";
import { ActionForm } from "~/ui/action-form";
import { Alert } from "~/ui/alert";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { countText } from "~/ui/numbers";
import { Elapsed } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";
import { WriteFields } from "~/ui/write-access";

/** The run of this sprint, or what a start would do, or everything that is in its way at once. */
export function RunBar({
  board,
  preflight,
  forecast,
  productId,
}: {
  board: SprintFrame;
  preflight: Preflight | null;
  forecast: Forecast | null;
  productId: string;
}) {
  const { run, sprint } = board;
  const unfinished =
    run && (run.status === "queued" || run.status === "running" || run.status === "paused");
  if (run && unfinished) return <RunUnderWay run={run} productId={productId} />;
  if (sprint.status === "failed") return <FailedRun run={run} productId={productId} />;
  if (!preflight) return null;
  if (preflight.ready) return <ReadyToRun preflight={preflight} forecast={forecast} />;
  if (board.stories.length > 0 && board.stories.every(({ status }) => status === "done")) {
    return <AllDone productId={productId} sprintId={sprint.id} />;
  }
  return <Blockers preflight={preflight} productId={productId} />;
}

/** Nothing is in the way of a run when there is nothing to run any more. */
function AllDone({ productId, sprintId }: { productId: string; sprintId: string }) {
  return (
    <Alert
      tone="done"
      title="All stories are done"
      actions={
        <ButtonLink to={`/products/${productId}/sprints/${sprintId}/review`}>
          Review sprint
        </ButtonLink>
      }
    >
      Review the results, then complete the sprint.
    </Alert>
  );
}

function FailedRun({ run, productId }: { run: SprintFrame["run"]; productId: string }) {
  if (!run) {
    return (
      <Alert
        tone="failed"
        title="A task failed"
        actions={<RunForm intent="resume-sprint" label="Try again" />}
      >
        Try again resets the failed tasks and starts a new run.
      </Alert>
    );
  }
  const counts = countStopped(run.job_statuses);
  const page = `/products/${productId}/runs/${run.id}`;
  return (
    <Alert
      tone="failed"
      title={stoppedTitle(counts)}
      actions={
        <>
          <ButtonLink to={page}>View failure</ButtonLink>
          <RetryForms action={page} canSkip={counts.waiting > 0} />
        </>
      }
    >
      {counts.waiting > 0
        ? "Try again starts a new run on the same branch. Skip continues without the failed task, which goes back to To do."
        : "Try again starts a new run on the same branch."}
    </Alert>
  );
}

function ReadyToRun({ preflight, forecast }: { preflight: Preflight; forecast: Forecast | null }) {
  return (
    <Alert
      tone="done"
      title="Ready to run"
      actions={
        <RunForm
          id="start-run"
          intent="start-run"
          label={`Start run of ${countText(preflight.jobs_total, "job")}`}
        />
      }
    >
      <p>Every open task has a plan and nothing needs your attention.</p>
      {preflight.begins_from.length > 0 ? (
        <div className="mt-2 grid justify-items-start gap-2">
          <BeginsFrom from={preflight.begins_from} />
          <StartOver whose={preflight.sprint_code} />
        </div>
      ) : null}
      {forecast ? <ForecastLine forecast={forecast} /> : null}
      {preflight.warnings.map(({ budget_id, message }) => (
        <p key={budget_id} className="text-waiting">
          {message}
        </p>
      ))}
      <WriteFields quiet>
        <details className="mt-2">
          <summary className="text-accent underline underline-offset-2 hover:decoration-2">
            Set a budget
          </summary>
          <div className="mt-2 grid gap-1">
            <AmountFields label="Limit" id="run-budget" required={false} form="start-run" />
            <p className="text-xs text-muted">
              The run pauses and you decide what happens next. Finished work is kept.
            </p>
          </div>
        </details>
      </WriteFields>
    </Alert>
  );
}

function RunForm({
  intent,
  label,
  id,
  cure,
}: {
  intent: string;
  label: string;
  id?: string;
  cure?: string;
}) {
  return (
    <WriteFields quiet>
      <Form method="post" id={id}>
        <input type="hidden" name="intent" value={intent} />
        <SubmitButton name="cure" value={cure} pendingLabel="Starting…">
          {label}
        </SubmitButton>
      </Form>
    </WriteFields>
  );
}

function RunUnderWay({
  run,
  productId,
}: {
  run: NonNullable<SprintFrame["run"]>;
  productId: string;
}) {
  return (
    <section
      aria-label="Run"
      className="grid gap-2 rounded-lg border border-line bg-surface px-4 py-3"
    >
      <div className="flex flex-wrap items-center gap-3 text-sm">
        <StatusPill status={run.status} />
        <Link to={`/products/${productId}/runs/${run.id}`} className="font-medium hover:underline">
          Run of {countText(run.job_statuses.length, "job")}
        </Link>
        <span className="text-muted">
          {run.started_at ? (
            <>
              running for <Elapsed from={run.started_at} />
            </>
          ) : (
            "waiting for a worker"
          )}
        </span>
      </div>
      <WovenProgress statuses={run.job_statuses} />
    </section>
  );
}

function Blockers({ preflight, productId }: { preflight: Preflight; productId: string }) {
  const count = preflight.blockers.length;
  return (
    <details
      open={count <= 8}
      className="rounded-lg border border-line bg-surface px-4 py-3 text-sm"
    >
      <summary className="font-semibold marker:text-waiting">
        {count === 1 ? "1 blocker" : `${count} blockers`}
      </summary>
      <WriteFields quiet className="mt-2 grid gap-2">
        <BlockerList
          blockers={preflight.blockers}
          productId={productId}
          cures={({ type, task_code, dependency }) =>
            dependency ? (
              <Cures dependency={dependency} sprintId={preflight.sprint_id} />
            ) : type === "task_no_plan" ? (
              <PlanCures planFirst={preflight.plan_first} form="cure-run" about={task_code} />
            ) : null
          }
        />
        {preflight.tasks_total > 0 ? (
          <RunForm
            id="cure-run"
            intent="start-run"
            label="Fix all and start"
            cure={fixAll(preflight.plan_first)}
          />
        ) : null}
        <p className="text-xs text-muted">What is still blocked is left out.</p>
      </WriteFields>
    </details>
  );
}

/** One press each: the story joins the sprint, or nothing is waited for any more. */
function Cures({
  dependency,
  sprintId,
}: {
  dependency: NonNullable<Blocker["dependency"]>;
  sprintId: string;
}) {
  const { kind, id, blocker_id, blocker_code, joining_story_id, joining_story_code } = dependency;
  return (
    <span className="flex flex-wrap gap-1">
      {joining_story_id === null ? null : (
        <ActionForm>
          <HiddenFields
            fields={{ intent: "add-story", sprint_id: sprintId, story_id: joining_story_id }}
          />
          <SubmitButton tone="plain" size="sm">
            Add {joining_story_code} to the sprint
          </SubmitButton>
        </ActionForm>
      )}
      <RemoveForm
        kind={kind}
        id={id}
        blocker={{ id: blocker_id, code: blocker_code }}
        label="Remove blocker"
      />
    </span>
  );
}
