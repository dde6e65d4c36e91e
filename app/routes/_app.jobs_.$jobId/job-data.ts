import { useRouteLoaderData } from "@remix-run/react";
import type { BlockedReason } from "~/features/jobs/find-blocked-reasons.server";
import type { AgentJobDetail } from "~/wire/agent-jobs/contract";
import type { SprintRun } from "~/wire/sprint-runs/contract";

export interface JobData {
  job: AgentJobDetail;
  /** The job's run; null for conversations about an idea. */
  run: (Pick<SprintRun, "id" | "status" | "finished_at"> & { waiting: number }) | null;
  /** Why the job does not move; null while it moves and after it has ended. */
  why: readonly BlockedReason[] | null;
}

/** Returns the job loaded by the layout, for all of its tabs. */
export function useJob(): AgentJobDetail {
  const data = useRouteLoaderData<JobData>("routes/_app.jobs_.$jobId");
  if (!data) throw new Error("A job tab must be rendered inside the job page.");
  return data.job;
}
