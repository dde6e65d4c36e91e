import { useFetcher } from "@remix-run/react";
import { useId } from "react";
import { waitsForReview } from "~/features/jobs/job-badges";
import { EnhancedField, FormResult } from "~/ui/action-form";
import type { ActionResult } from "~/ui/action-result";
import { Button } from "~/ui/button";
import { WriteFields } from "~/ui/write-access";
import type { Blocker, Preflight, SprintRunDetail } from "~/wire/sprint-runs/contract";
import { BlockerList, CommonCures } from "./blocker-list";

/** Returns "1 failed, 5 waiting: try again or skip". If none waits, there is nothing to skip to. */
export function stoppedTitle({ failed, waiting }: { failed: number; waiting: number }): string {
  return waiting === 0 ? `${failed} failed: try again` : `${failed} failed, ${waiting} waiting: try again or skip`;
}

/** Returns the parts of a run: its jobs, or the tasks of its batch. */
export function partsOf<Run extends Pick<SprintRunDetail, "jobs" | "executions">>(run: Run) {
  return run.executions.length > 0 ? run.executions : run.jobs;
}

/** Returns what the parts of a run are shown as. Work that waits for a review waits for no worker. */
export const statesOf = (run: Pick<SprintRunDetail, "jobs" | "executions">): string[] =>
  partsOf(run).map((part) => ("phase" in part && waitsForReview(part) ? "review" : part.status));

const waits = new Set(["queued", "cancelled", "pending"]);

/** Counts failed and waiting parts of a run. */
export function countStopped(statuses: readonly string[]) {
  const small = statuses.map((status) => status.toLowerCase());
  return {
    failed: small.filter((status) => status === "failed").length,
    waiting: small.filter((status) => waits.has(status)).length,
  };
}

type RetryFormsProps = { action: string; canSkip: boolean; failed?: string | null | undefined };

/** `action` is the run's address. Names what blocks the new run, with its fixes, where the press was. */
export function RetryForms({ action, canSkip, failed }: RetryFormsProps) {
  const fetcher = useFetcher<ActionResult & Partial<RefusedRetry>>();
  const { data } = fetcher;
  const form = useId();
  const { blockers = [], chosen = [], plan_first: planFirst = "ask" } = data ?? {};
  return (
    <WriteFields quiet className="grid gap-2">
      <fetcher.Form method="post" action={action} id={form} className="flex flex-wrap gap-2">
        <EnhancedField />
        {data?.retry ? <input type="hidden" name="retry" value={data.retry} /> : null}
        {chosen.map((cure) => (
          <input key={cure} type="hidden" name="cure" value={cure} />
        ))}
        <Button type="submit" name="intent" value="try-again" tone="primary">
          Try again
        </Button>
        {canSkip ? (
          <Button type="submit" name="intent" value="skip">
            {failed ? `Skip ${failed}` : "Skip failed task"}
          </Button>
        ) : null}
      </fetcher.Form>
      {blockers.length > 0 ? null : <FormResult answer={data} fetcher={fetcher} />}
      {blockers.length > 0 && data?.product_id ? (
        <div role="alert" className="grid gap-2 text-sm">
          <p className="font-medium">A new run cannot start yet:</p>
          <BlockerList
            blockers={blockers}
            productId={data.product_id}
            cures={(blocker) => (
              <CommonCures blocker={blocker} planFirst={planFirst} form={form} canMakeTasks={false} />
            )}
          />
        </div>
      ) : null}
    </WriteFields>
  );
}

export interface RefusedRetry {
  blockers: Blocker[];
  chosen: string[];
  plan_first: Preflight["plan_first"];
  product_id: string;
  /** The intent that was pressed; the fixes repeat it. */
  retry: string;
}
