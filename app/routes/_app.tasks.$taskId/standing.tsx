import { stateLine } from "~/features/items/state-line";
import { BlockedReasons } from "~/features/jobs/blocked-reasons";
import type { BlockedReason } from "~/features/jobs/find-blocked-reasons.server";
import { PullLink } from "~/features/jobs/pull-link";
import type { TaskPageData } from "~/nouns/pages/contract";
import { StatusIcon } from "~/ui/status-icon";

/** The task's state in the words of its card, and why it does not move. */
export function Standing({
  page,
  why,
}: {
  page: TaskPageData;
  why: readonly BlockedReason[] | null;
}) {
  const { task, jobs, questions, waits_for } = page;
  const job = jobs.find(({ finished_at }) => finished_at === null);
  const state = stateLine({
    status: task.status,
    open_questions: questions.filter(({ status }) => status === "open").length,
    job_status: job?.status ?? null,
    job_phase: job?.phase ?? null,
    holder_name: job?.holder_name ?? null,
    waits_for,
    failure_reason: task.status === "failed" ? (jobs[0]?.failure_reason ?? null) : null,
    has_plan: Boolean(task.implementation_plan),
  });
  // The reasons name every blocker, and who has it.
  const isReason = state?.kind === "blocked" || state?.kind === "held";
  const isSaid = state === null || (isReason && why !== null);
  const pull = jobs.find((each) => each.pull)?.pull;
  if (isSaid && !why && !pull) return null;
  return (
    <div className="grid gap-1">
      {isSaid ? null : (
        <p data-state={state.kind} className="flex items-center gap-1.5">
          <StatusIcon tone={state.tone} />
          {state.text}
        </p>
      )}
      {pull ? <PullLink pull={pull} /> : null}
      {why ? <BlockedReasons reasons={why} /> : null}
    </div>
  );
}
