import { Link, useSearchParams } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { AmountFields } from "~/features/budgets/amount-fields";
import { CeilingField } from "~/features/budgets/ceiling-field";
import { ForecastLine } from "~/features/budgets/forecast-line";
import { RunStatus, WovenProgress } from "~/features/runs/run-status";
import { BeginsFrom, PlanReviewField, StartOver } from "~/features/runs/start-run";
import { countStopped, RetryForms, stoppedTitle } from "~/features/runs/stopped-run";
import { WritePress } from "~/ui/action-form";
import { ButtonLink, buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { LiveText } from "~/ui/live-text";
import { Menu } from "~/ui/menu";
import { countText } from "~/ui/numbers";
import { Elapsed } from "~/ui/relative-time";
import { StatusIcon, statusLook } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { Forecast } from "~/wire/budgets/contract";
import type { SprintFrame } from "~/wire/pages/contract";
import type { Blocker, Preflight } from "~/wire/sprint-runs/contract";
import { BlockersPanel, RunForm } from "./blockers-panel";

export type RefusedStart = { blockers: readonly Blocker[]; chosen: readonly string[] };

/** Whether nothing is left to start: what is not done waits for a review. */
export const hasOnlyReviews = (tasks: readonly { status: string }[]): boolean =>
  tasks.some(({ status }) => status === "review") &&
  tasks.every(({ status }) => status === "review" || status === "done");

interface RunControlProps {
  board: SprintFrame;
  onlyReviews: boolean;
  /** Read once someone asked to start a run. */
  preflight: Preflight | null;
  forecast: Forecast | null;
  /** What still blocked the last start, and the fixes chosen for it. */
  refused: RefusedStart | null;
  productId: string;
}

/** The sprint's run, or a way to start one with its blockers. At most one line. */
export function RunControl({ board, onlyReviews, preflight, forecast, refused, productId }: RunControlProps) {
  const { run, sprint } = board;
  const unfinished = run && (run.status === "queued" || run.status === "running" || run.status === "paused");
  if (run && unfinished) return <RunUnderWay run={run} productId={productId} />;
  if (sprint.status === "planned") return <StartSprint />;
  if (sprint.status === "failed") return <FailedRun run={run} productId={productId} />;
  if (sprint.status !== "active") return null;
  if (board.stories.length > 0 && board.stories.every(({ status }) => status === "done")) {
    return (
      <ButtonLink to={`/products/${productId}/sprints/${sprint.id}/review`} tone="primary" title="All stories are done">
        Review sprint
      </ButtonLink>
    );
  }
  if (onlyReviews) return <ButtonLink to="/inbox?kind=review">Waits for you: reviews</ButtonLink>;
  if (!preflight) return <StartRun />;
  if (preflight.ready) return <ReadyToRun preflight={preflight} forecast={forecast} />;
  const chosen = refused?.chosen ?? [];
  const blockers = stillBlocking(preflight.blockers, refused);
  if (blockers.length === 0) {
    return (
      <>
        {forecast ? <CeilingField forecast={forecast} form="start-run" /> : null}
        <RunForm id="start-run" intent="start-run" label="Start run" chosen={chosen} />
      </>
    );
  }
  return (
    <OpenAtOnce key={chosen.length}>
      <Blockers preflight={preflight} forecast={forecast} blockers={blockers} chosen={chosen} productId={productId} />
    </OpenAtOnce>
  );
}

/** A chosen fix holds: of the tasks without a plan, only those that the refused start still named are left. */
function stillBlocking(blockers: readonly Blocker[], refused: RefusedStart | null): readonly Blocker[] {
  if (!refused || refused.chosen.length === 0) return blockers;
  const named = new Set(refused.blockers.map(({ task_id }) => task_id));
  return blockers.filter(({ type, task_id }) => type !== "task_no_plan" || named.has(task_id));
}

function StartSprint() {
  return (
    <WritePress fields={{ intent: "start-sprint" }} tone="primary">
      Start sprint
    </WritePress>
  );
}

/** Leads to what a run may take, its ceiling and its blockers: all of them are read when someone asks for them. */
function StartRun() {
  const [params] = useSearchParams();
  const asking = new URLSearchParams(params);
  asking.set("run", "1");
  return (
    <WriteFields quiet>
      <ButtonLink to={`?${asking}`} tone="primary" replace preventScrollReset>
        Start run
      </ButtonLink>
    </WriteFields>
  );
}

/** Opens the menu that someone asked for before it was there. */
function OpenAtOnce({ children }: { children: ReactNode }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => place.current?.querySelector<HTMLElement>("[popovertarget]")?.click(), []);
  return (
    <span ref={place} className="contents">
      {children}
    </span>
  );
}

function ReadyToRun({ preflight, forecast }: { preflight: Preflight; forecast: Forecast | null }) {
  const { warnings } = preflight;
  return (
    <>
      <RunForm
        id="start-run"
        intent="start-run"
        label={`Start run of ${countText(preflight.jobs_total, "job")}`}
        autoFocus
      />
      {preflight.stories_without_tasks > 0 ? (
        <RunForm
          intent="make-tasks"
          label={`Make tasks of ${preflight.stories_without_tasks} stories without any`}
          tone="plain"
        />
      ) : null}
      <OpenAtOnce>
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
          <RunOptions preflight={preflight} forecast={forecast} />
        </Menu>
      </OpenAtOnce>
    </>
  );
}

function RunUnderWay({ run, productId }: { run: NonNullable<SprintFrame["run"]>; productId: string }) {
  const over = new Set<string>(["done", "review"]);
  const done = run.job_statuses.filter((status) => over.has(statusLook(status).tone)).length;
  const page = `/products/${productId}/runs/${run.id}`;
  const held = new Set(["CLAIMED", "RUNNING"]);
  const isWaiting =
    run.job_statuses.includes("QUEUED") && !run.waits_for && !run.job_statuses.some((one) => held.has(one));
  return (
    <section aria-label="Run" className="flex min-w-0 items-center gap-2 text-sm">
      <RunStatus run={run} />
      <Link to={page} className="font-medium hover:underline">
        {`Run: ${done} of ${countText(run.job_statuses.length, "job")}`}
      </Link>
      {isWaiting ? (
        <Link to={page} className="whitespace-nowrap text-accent underline underline-offset-2 max-sm:hidden">
          Why it waits
        </Link>
      ) : null}
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

function Blockers(panel: Parameters<typeof BlockersPanel>[0]) {
  const text = countText(panel.blockers.length, "blocker");
  return (
    <Menu
      wide
      align="end"
      label={`${text} of a run`}
      trigger={
        <>
          <StatusIcon tone="waiting" />
          <LiveText>{text}</LiveText>
        </>
      }
      triggerClassName={buttonClass("plain", "md", "text-waiting")}
    >
      <BlockersPanel {...panel} />
    </Menu>
  );
}

/** What a run starts from, its forecast, and a budget for it: the menu next to *Start run*. */
function RunOptions({ preflight, forecast }: { preflight: Preflight; forecast: Forecast | null }) {
  const { begins_from, warnings } = preflight;
  return (
    <>
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
      <WriteFields quiet>
        <PlanReviewField form="start-run" />
        {forecast ? <CeilingField forecast={forecast} form="start-run" /> : null}
      </WriteFields>
      <WriteFields quiet className="grid gap-1">
        <p className="font-medium">Set a budget</p>
        <AmountFields id="run-budget" required={false} form="start-run" />
        <p className="text-xs text-muted">
          The run pauses when it is reached, and you decide what happens next. Finished work is kept.
        </p>
      </WriteFields>
    </>
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
      <Menu wide align="end" label="After a failure" trigger="Try again…" triggerClassName={buttonClass("primary")}>
        <p>
          Try again starts a new run on the same branch.
          {counts.waiting > 0 ? " Skip continues without the failed task and moves it back to To do." : null}
        </p>
        <div className="flex flex-wrap gap-2">
          <RetryForms action={page} canSkip={counts.waiting > 0} />
        </div>
      </Menu>
    </>
  );
}
