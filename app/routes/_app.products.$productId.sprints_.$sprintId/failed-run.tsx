import { countStopped, RetryForms, stoppedTitle } from "~/features/runs/stopped-run";
import type { SprintFrame } from "~/nouns/pages/contract";
import { ButtonLink, buttonClass } from "~/ui/button";
import { Menu } from "~/ui/menu";
import { RunForm } from "./run-form";

/** Outcome of a stopped run, and the ways to continue. */
export function FailedRun({ run, productId }: { run: SprintFrame["run"]; productId: string }) {
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
            ? "Try again starts a new run on the same branch. Skip continues without the failed task and moves it back to To do."
            : "Try again starts a new run on the same branch."}
        </p>
        <div className="flex flex-wrap gap-2">
          <RetryForms action={page} canSkip={counts.waiting > 0} />
        </div>
      </Menu>
    </>
  );
}
