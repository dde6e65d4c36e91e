import { Link } from "@remix-run/react";
import { Suspense } from "react";
import type { Forecast } from "~/contract/forecast";
import type { SprintFrame } from "~/contract/page-data";
import type { Preflight } from "~/contract/sprint-run";
import { WovenProgress } from "~/features/runs/woven-progress";
import { ActionForm } from "~/ui/action-form";
import { Button, ButtonLink, buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { Later, laterPart } from "~/ui/later-part";
import { Menu } from "~/ui/menu";
import { countText } from "~/ui/numbers";
import { Elapsed } from "~/ui/relative-time";
import { statusLook } from "~/ui/status";
import { StatusIcon } from "~/ui/status-icon";
import { StatusPill } from "~/ui/status-pill";
import { WriteFields } from "~/ui/write-access";
import { RunForm } from "./run-form";

/** Blockers of a run. Lazy: most boards have none. */
const blockersPanel = laterPart(
  () => import("./blockers-panel").then(({ BlockersPanel }) => BlockersPanel),
  "[data-blockers]",
);

/** Actions after a failure. Lazy: few boards need them. */
const failedRun = laterPart(
  () => import("./failed-run").then(({ FailedRun }) => FailedRun),
  "[data-failed-run]",
);

const runOptions = laterPart(
  () => import("./run-options").then(({ RunOptions }) => RunOptions),
  "[data-run-options]",
);

/** Parts the server renders and most boards do not need at first. */
export const runParts = [blockersPanel, failedRun, runOptions];

/** The sprint's run, or a way to start one with its blockers. At most one line. */
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
  /** Whether no agent works and questions are open. */
  isWaiting: boolean;
  productId: string;
}) {
  const { run, sprint } = board;
  const unfinished =
    run && (run.status === "queued" || run.status === "running" || run.status === "paused");
  if (run && unfinished)
    return <RunUnderWay run={run} isWaiting={isWaiting} productId={productId} />;
  if (sprint.status === "planned") return <StartSprint />;
  if (sprint.status === "failed") {
    return (
      <Suspense>
        <Later part={failedRun} props={{ run, productId }} />
      </Suspense>
    );
  }
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

function ReadyToRun({ preflight, forecast }: { preflight: Preflight; forecast: Forecast | null }) {
  const { warnings } = preflight;
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
        <Suspense>
          <Later part={runOptions} props={{ preflight, forecast }} />
        </Suspense>
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
  const done = run.job_statuses.filter((status) => statusLook(status).tone === "done").length;
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
