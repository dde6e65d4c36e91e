import { json, type MetaFunction } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { LineCounts } from "~/features/diff/line-counts";
import { BlockedReasons } from "~/features/jobs/blocked-reasons";
import { findBlockedReasons } from "~/features/jobs/find-blocked-reasons.server";
import { JobStatus, waitsForReview } from "~/features/jobs/job-badges";
import { jobKinds } from "~/features/jobs/job-card";
import { ProductAccess } from "~/features/products/product-access";
import { RunThis } from "~/features/runs/start-run";
import { countStopped, RetryForms, statesOf } from "~/features/runs/stopped-run";
import { personLoader } from "~/http/page-guards.server";
import { getJobPage } from "~/nouns/pages/operations.server";
import { PressForm } from "~/ui/action-form";
import { CodeChip } from "~/ui/badge";
import { Confirm } from "~/ui/confirm";
import { isolated } from "~/ui/isolated";
import { LiveText } from "~/ui/live-text";
import { PageHeader } from "~/ui/page-header";
import { isHeld } from "~/ui/status";
import { NavTabs } from "~/ui/tabs";
import { WriteFields } from "~/ui/write-access";
import type { AgentJobDetail } from "~/wire/agent-jobs/contract";
import { canonicalId } from "~/wire/canonical-id";
import type { JobData } from "./job-data";

export { RouteError as ErrorBoundary } from "~/ui/error-page";

/** Loads what all job tabs share: the job, its run, and why it does not move. */
export const loader = personLoader(async ({ actor, context, params }) => {
  const { job, run, why } = await getJobPage(actor, { job_id: canonicalId(params.jobId) });
  return json<JobData>({
    run: run && {
      id: run.id,
      status: run.status,
      finished_at: run.finished_at,
      waiting: countStopped(statesOf(run)).waiting,
    },
    job,
    why: why && findBlockedReasons(why, context.services.env.appOrigin),
  });
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${isolated(nameOf(data.job))} · Backloom` : "Job · Backloom" },
];

export default function JobLayout() {
  const { job, run, why } = useLoaderData<typeof loader>();
  return (
    <ProductAccess productId={job.product_id}>
      <PageHeader
        crumbs={[{ label: "Jobs", to: "/agents?state=all" }, ...crumbsOf(job)]}
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            {(job.task_code ?? job.idea_code) ? <CodeChip>{job.task_code ?? job.idea_code ?? ""}</CodeChip> : null}
            <LiveText>{job.kind === "TASK_IMPLEMENTATION" ? job.task_title : jobKinds[job.kind]}</LiveText>
            <JobStatus job={job} asks={job.questions.some(({ status }) => status === "open")} />
          </span>
        }
        lead={why && !waitsForReview(job) ? <BlockedReasons reasons={why} /> : null}
        actions={<JobControls job={job} run={run} />}
      />
      <NavTabs label="Job" tabs={tabsOf(job)} />
      <Outlet />
    </ProductAccess>
  );
}

function tabsOf(job: AgentJobDetail) {
  const path = `/jobs/${job.id}`;
  return [
    { to: path, label: "Output", end: true },
    ...(job.idea_id === null
      ? [
          { to: `${path}/changes`, label: "Changes", count: changesOf(job) },
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

function nameOf(job: AgentJobDetail): string {
  return `Job of ${job.task_code ?? job.idea_code ?? "a sprint"}`;
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
