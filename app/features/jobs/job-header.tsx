import { LineCounts } from "~/features/diff/line-counts";
import { BlockedReasons } from "~/features/jobs/blocked-reasons";
import type { BlockedReason } from "~/features/jobs/find-blocked-reasons.server";
import { JobStatus, waitsForReview } from "~/features/jobs/job-badges";
import { jobKinds } from "~/features/jobs/job-card";
import { RunThis } from "~/features/runs/start-run";
import { RetryForms } from "~/features/runs/stopped-run";
import { PressForm } from "~/ui/action-form";
import { CodeChip } from "~/ui/badge";
import { Confirm } from "~/ui/confirm";
import { LiveText } from "~/ui/live-text";
import { type Crumb, PageHeader } from "~/ui/page-header";
import { isHeld } from "~/ui/status";
import { NavTabs } from "~/ui/tabs";
import { WriteFields } from "~/ui/write-access";
import type { AgentJobDetail } from "~/wire/agent-jobs/contract";
import type { SprintRun } from "~/wire/sprint-runs/contract";

export interface JobData {
  job: AgentJobDetail;
  /** The job's run; null for conversations about an idea. */
  run: (Pick<SprintRun, "id" | "status" | "finished_at"> & { waiting: number }) | null;
  /** Why the job does not move; null while it moves and after it has ended. */
  why: readonly BlockedReason[] | null;
}

/** What a job is, what can be done about it, and its tabs. Its review, a page of its story, says where it leads back. */
export function JobHeader({ job, run, why, review }: JobData & { review?: readonly Crumb[] }) {
  return (
    <>
      <PageHeader
        crumbs={[...(review ?? [{ label: "Jobs", to: "/agents?state=all" }]), ...crumbsOf(job)]}
        title={
          <span className="flex flex-wrap items-center gap-2.5 max-sm:block max-sm:*:me-2">
            {(job.task_code ?? job.idea_code) ? <CodeChip>{job.task_code ?? job.idea_code ?? ""}</CodeChip> : null}
            <LiveText>{job.kind === "TASK_IMPLEMENTATION" ? job.task_title : jobKinds[job.kind]}</LiveText>
            <JobStatus job={job} asks={job.questions.some(({ status }) => status === "open")} />
          </span>
        }
        lead={why && !waitsForReview(job) ? <BlockedReasons reasons={why} /> : null}
        actions={<JobControls job={job} run={run} />}
      />
      <NavTabs label="Job" tabs={tabsOf(job, review !== undefined)} />
    </>
  );
}

function tabsOf(job: AgentJobDetail, isReview: boolean) {
  const path = `/jobs/${job.id}`;
  return [
    { to: path, label: "Output", end: true },
    ...(job.idea_id === null
      ? [
          { to: `${path}/changes`, label: "Changes", count: changesOf(job), current: isReview },
          { to: `${path}/proof`, label: "Proof" },
        ]
      : []),
    { to: `${path}/attempts`, label: "Attempts" },
  ];
}

function changesOf({ additions, deletions }: AgentJobDetail) {
  if (additions === null || deletions === null) return null;
  return <LineCounts additions={additions} deletions={deletions} />;
}

function crumbsOf(job: AgentJobDetail) {
  if (job.task_id) return [{ label: job.task_code ?? "Task", to: `/tasks/${job.task_id}` }];
  return job.idea_id ? [{ label: job.idea_code ?? "Idea", to: `/ideas/${job.idea_id}` }] : [];
}

/** Stops, pauses and retries a job where it is watched. A running job is stopped with its run. */
function JobControls({ job, run }: { job: AgentJobDetail; run: JobData["run"] }) {
  if (!run) return null;
  const action = `/products/${job.product_id}/runs/${run.id}`;
  const press = (intent: string, label: string) => (
    <PressForm action={action} fields={{ job_id: job.id }} name="intent" value={intent}>
      {label}
    </PressForm>
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
          trigger="Cancel run"
          question="Cancel this run?"
          consequence="The worker stops at its next heartbeat, and the run's other jobs are cancelled. Finished work is kept."
          confirmLabel="Cancel run"
          action={action}
          fields={{ intent: "cancel" }}
        />
      ) : null}
    </WriteFields>
  );
}

/** Retries a finished job's task in a new run, as on the task's page. */
function RunTaskAgain({ job }: { job: AgentJobDetail }) {
  if (!job.task_id || !["todo", "failed"].includes(job.task_status ?? "")) return null;
  return <RunThis productId={job.product_id} items={[`task:${job.task_id}`]} label="Run it again" />;
}
