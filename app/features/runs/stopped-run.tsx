import type { SprintRunDetail } from "~/contract/sprint-run";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { StatusPill } from "~/ui/status-pill";
import { WriteFields } from "~/ui/write-access";

/** Status of a run. A failed task stops the run and its sprint, but neither has failed as a whole. */
export function RunStatus({ status, className }: { status: string; className?: string }) {
  const label = status === "failed" ? { label: "Stopped" } : {};
  return <StatusPill status={status} {...label} {...(className ? { className } : {})} />;
}

/** Returns "1 failed, 5 waiting: try again or skip". If none waits, there is nothing to skip to. */
export function stoppedTitle({ failed, waiting }: { failed: number; waiting: number }): string {
  return waiting === 0
    ? `${failed} failed: try again`
    : `${failed} failed, ${waiting} waiting: try again or skip`;
}

/** Returns the parts of a run: its jobs, or the tasks of its batch. */
export function partsOf<Run extends Pick<SprintRunDetail, "jobs" | "executions">>(run: Run) {
  return run.executions.length > 0 ? run.executions : run.jobs;
}

const waits = new Set(["queued", "cancelled", "pending"]);

/** Counts failed and waiting parts of a run. */
export function countStopped(statuses: readonly string[]) {
  const small = statuses.map((status) => status.toLowerCase());
  return {
    failed: small.filter((status) => status === "failed").length,
    waiting: small.filter((status) => waits.has(status)).length,
  };
}

/** The actions for a stopped run. `action` is the address of that run. */
export function RetryForms({
  action,
  canSkip,
  failed,
}: {
  action: string;
  canSkip: boolean;
  /** Code of the failed task, if known. */
  failed?: string | null | undefined;
}) {
  return (
    <WriteFields quiet>
      <ActionForm action={action} className="flex flex-wrap gap-2">
        <Button type="submit" name="intent" value="try-again" tone="primary">
          Try again
        </Button>
        {canSkip ? (
          <Button type="submit" name="intent" value="skip">
            {failed ? `Skip ${failed}` : "Skip failed task"}
          </Button>
        ) : null}
      </ActionForm>
    </WriteFields>
  );
}
