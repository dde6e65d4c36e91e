import { waitsForReview } from "~/features/jobs/job-badges";
import { RunThis } from "~/features/runs/run-this";
import { RetryForms } from "~/features/runs/stopped-run";
import type { AgentJobDetail } from "~/nouns/agent-jobs/contract";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { isHeld } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import type { JobData } from "./job-data";

/** Stops, pauses and retries a job where it is watched. A running job is stopped with its run. */
export function JobControls({ job, run }: { job: AgentJobDetail; run: JobData["run"] }) {
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
  if (run.finished_at !== null) {
    const isOpen = job.task_id === null || job.task_status === "failed";
    const stopped = run.status === "failed" && job.status === "failed" && isOpen;
    return stopped ? (
      <RetryForms action={action} canSkip={run.waiting > 0} failed={job.task_code} />
    ) : (
      <RunTaskAgain job={job} />
    );
  }
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

/** Retries a finished job's task in a new run, as on the task's page. */
function RunTaskAgain({ job }: { job: AgentJobDetail }) {
  if (!job.task_id || !["todo", "failed"].includes(job.task_status ?? "")) return null;
  return (
    <RunThis productId={job.product_id} items={[`task:${job.task_id}`]} label="Run it again" />
  );
}
