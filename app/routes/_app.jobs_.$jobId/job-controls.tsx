import type { AgentJobDetail } from "~/contract/agent-job";
import type { SprintRun } from "~/contract/sprint-run";
import { waitsForReview } from "~/features/jobs/job-badges";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { isHeld } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";

/** Stops, pauses and tries again from where the work is watched; a job at work is stopped with its run. */
export function JobControls({
  job,
  run,
}: {
  job: AgentJobDetail;
  run: Pick<SprintRun, "id" | "status" | "finished_at"> | null;
}) {
  if (!run) return null;
  const action = `/products/${job.product_id}/runs/${run.id}`;
  const press = (intent: string, label: string) => (
    <ActionForm action={action}>
      <input type="hidden" name="job_id" value={job.id} />
      <Button type="submit" name="intent" value={intent}>
        {label}
      </Button>
    </ActionForm>
  );
  if (run.status === "failed") {
    return <WriteFields quiet>{press("try-again", "Try again")}</WriteFields>;
  }
  if (run.finished_at !== null) return null;
  return (
    <WriteFields quiet>
      {job.status === "queued" && !waitsForReview(job) ? press("cancel-job", "Cancel job") : null}
      {run.status === "paused" ? press("resume", "Resume run") : press("pause", "Pause run")}
      {isHeld(job.status) ? (
        <Confirm
          trigger="Stop run"
          question="Stop this run?"
          consequence="The worker stops at its next heartbeat, and the run's other jobs are cancelled. Finished work is kept."
          confirmLabel="Stop run"
        >
          {(buttons) => (
            <ActionForm action={action}>
              <input type="hidden" name="intent" value="cancel" />
              {buttons}
            </ActionForm>
          )}
        </Confirm>
      ) : null}
    </WriteFields>
  );
}
