import { Link } from "@remix-run/react";
import { Suspense } from "react";
import type { Forecast } from "~/contract/forecast";
import type { SprintFrame } from "~/contract/page-data";
import type { Preflight } from "~/contract/sprint-run";
import { AmountFields } from "~/features/budgets/amount-fields";
import { ForecastLine } from "~/features/budgets/forecast-line";
import { BeginsFrom, StartOver } from "~/features/runs/start-over";
import { countStopped, RetryForms, stoppedTitle } from "~/features/runs/stopped-run";
import { WovenProgress } from "~/features/runs/woven-progress";
import { ActionForm } from "~/ui/action-form";
import { Button, ButtonLink, buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { Later, laterPart } from "~/ui/later-part";
import { Menu } from "~/ui/menu";
import { countText } from "~/ui/numbers";
import { Elapsed } from "~/ui/relative-time";
import { StatusIcon } from "~/ui/status-icon";
import { StatusPill } from "~/ui/status-pill";
import { WriteFields } from "~/ui/write-access";
import { RunForm } from "./run-form";

/** What is in the way of a run: most boards have nothing to say there. */
export const blockersPanel = laterPart(
  () => import("./blockers-panel").then(({ BlockersPanel }) => BlockersPanel),
  "[data-blockers]",
);

/** The run of this sprint, or the way to start one with everything that is in its way: a line at most. */
export function RunControl({
  board,
  preflight,
  forecast,
  isWaiting,
  productId,
}: {
  board: SprintFrame;
  preflight: Preflight | null;
  forecast: Forecast | null;
  /** Nobody works, and questions are open. */
  isWaiting: boolean;
  productId: string;
}) {
  const { run, sprint } = board;
  const unfinished =
    run && (run.status === "queued" || run.status === "running" || run.status === "paused");
  if (run && unfinished)
    return <RunUnderWay run={run} isWaiting={isWaiting} productId={productId} />;
  if (sprint.status === "planned") return <StartSprint />;
  if (sprint.status === "failed") return <FailedRun run={run} productId={productId} />;
  if (!preflight) return null;
  if (preflight.ready) return <ReadyToRun preflight={preflight} forecast={forecast} />;
  if (board.stories.length > 0 && board.stories.every(({ status }) => status === "done")) {
    return (
      <ButtonLink
        to={`/products/${productId}/sprints/${sprint.id}/review`}
        tone="primary"
        title="All stories are done"
      >
        Review sprint
      </ButtonLink>
    );
  }
  return <Blockers preflight={preflight} productId={productId} />;
}

function StartSprint() {
  return (
    <WriteFields quiet>
      <ActionForm>
        <input type="hidden" name="intent" value="start-sprint" />
        <Button type="submit" tone="primary">
          Start sprint
        </Button>
      </ActionForm>
    </WriteFields>
  );
}

function FailedRun({ run, productId }: { run: SprintFrame["run"]; productId: string }) {
  if (!run) return <RunForm intent="resume-sprint" label="Try again" />;
  const counts = countStopped(run.job_statuses);
  const page = `/products/${productId}/runs/${run.id}`;
  return (
    <>
      <ButtonLink to={page} title="View failure" className="text-failed">
        {stoppedTitle(counts)}
      </ButtonLink>
      <Menu
        wide
        align="end"
        label="After a failure"
        trigger="Try again…"
        triggerClassName={buttonClass("primary")}
      >
        <p>
          {counts.waiting > 0
            ? "Try again starts a new run on the same branch. Skip continues without the failed task, which goes back to To do."
            : "Try again starts a new run on the same branch."}
        </p>
        <div className="flex flex-wrap gap-2">
          <RetryForms action={page} canSkip={counts.waiting > 0} />
        </div>
      </Menu>
    </>
  );
}

function ReadyToRun({ preflight, forecast }: { preflight: Preflight; forecast: Forecast | null }) {
  const { begins_from, warnings } = preflight;
  return (
    <>
      <RunForm
        id="start-run"
        intent="start-run"
        label={`Start run of ${countText(preflight.jobs_total, "job")}`}
      />
      <Menu
        wide
        align="end"
        label="Run options"
        trigger={
          <>
            <span className="sr-only">Run options</span>
            {warnings.length > 0 ? <StatusIcon tone="waiting" /> : null}
            <Icon name="chevrons-up-down" className="size-3.5" />
          </>
        }
        triggerClassName={buttonClass("plain", "icon")}
      >
        {begins_from.length > 0 ? (
          <div className="grid justify-items-start gap-2">
            <BeginsFrom from={begins_from} />
            <StartOver whose={preflight.sprint_code} />
          </div>
        ) : null}
        {forecast ? <ForecastLine forecast={forecast} /> : null}
        {warnings.map(({ budget_id, message }) => (
          <p key={budget_id} className="text-waiting">
            {message}
          </p>
        ))}
        <WriteFields quiet className="grid gap-1">
          <p className="font-medium">Set a budget</p>
          <AmountFields label="Limit" id="run-budget" required={false} form="start-run" />
          <p className="text-xs text-muted">
            The run pauses when it is reached, and you decide what happens next. Finished work is
            kept.
          </p>
        </WriteFields>
      </Menu>
    </>
  );
}

function RunUnderWay({
  run,
  isWaiting,
  productId,
}: {
  run: NonNullable<SprintFrame["run"]>;
  isWaiting: boolean;
  productId: string;
}) {
  const done = run.job_statuses.filter((status) => status === "done").length;
  return (
    <section aria-label="Run" className="flex min-w-0 items-center gap-2 text-sm">
      <StatusPill status={isWaiting ? "waiting" : run.status} />
      <Link to={`/products/${productId}/runs/${run.id}`} className="font-medium hover:underline">
        Run: {done} of {countText(run.job_statuses.length, "job")}
      </Link>
      {run.started_at ? (
        <span className="text-muted">
          <Elapsed from={run.started_at} />
        </span>
      ) : null}
      <span className="w-20 max-sm:flex-1">
        <WovenProgress statuses={run.job_statuses} />
      </span>
    </section>
  );
}

function Blockers({ preflight, productId }: { preflight: Preflight; productId: string }) {
  const words = countText(preflight.blockers.length, "blocker");
  return (
    <Menu
      wide
      align="end"
      label={`${words} of a run`}
      trigger={
        <>
          <StatusIcon tone="waiting" />
          {words}
        </>
      }
      triggerClassName={buttonClass("plain", "md", "text-waiting")}
    >
      <Suspense>
        <Later part={blockersPanel} props={{ preflight, productId }} />
      </Suspense>
    </Menu>
  );
}
