import type { z } from "zod";
import { countStopped, statesOf } from "~/features/runs/stopped-run";
import type { jobPageSchema } from "~/wire/pages/contract";
import { findBlockedReasons } from "./find-blocked-reasons.server";
import type { JobData } from "./job-header";

/** What all pages of a job show of it. */
export function readJobData({ job, run, why }: z.infer<typeof jobPageSchema>, origin: string): JobData {
  return {
    job,
    run: run && {
      id: run.id,
      status: run.status,
      finished_at: run.finished_at,
      waiting: countStopped(statesOf(run)).waiting,
    },
    why: why && findBlockedReasons(why, origin),
  };
}
