import { useRouteLoaderData } from "@remix-run/react";
import type { JobData } from "~/features/jobs/job-header";
import type { AgentJobDetail } from "~/wire/agent-jobs/contract";

/** Returns the job loaded by the layout, for all of its tabs. */
export function useJob(): AgentJobDetail {
  const data = useRouteLoaderData<JobData>("routes/_app.jobs_.$jobId");
  if (!data) throw new Error("A job tab must be rendered inside the job page.");
  return data.job;
}
