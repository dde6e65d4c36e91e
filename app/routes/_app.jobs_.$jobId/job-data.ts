import { useRouteLoaderData } from "@remix-run/react";
import type { AgentJobDetail } from "~/contract/agent-job";
import type { SprintRun } from "~/contract/sprint-run";
import type { BlockedReason } from "~/features/jobs/find-blocked-reasons.server";

export interface JobData {
  job: AgentJobDetail;
  /** The run that it belongs to; a conversation about an idea has none. */
  run: (Pick<SprintRun, "id" | "status" | "finished_at"> & { waiting: number }) | null;
  /** Why the job does not move; null while it does and when it has ended. */
  why: readonly BlockedReason[] | null;
}

/** The job that all of its tabs are about, as the layout has loaded it. */
export function useJob(): AgentJobDetail {
  const data = useRouteLoaderData<JobData>("routes/_app.jobs_.$jobId");
  if (!data) throw new Error("A job tab must be rendered inside the job page.");
  return data.job;
}
