import { Link } from "@remix-run/react";
import { firstLine } from "~/features/jobs/first-line";
import { countStopped, RetryForms, statesOf, stoppedTitle } from "~/features/runs/stopped-run";
import { Alert } from "~/ui/alert";
import { LiveText } from "~/ui/live-text";
import type { SprintRunDetail } from "~/wire/sprint-runs/contract";

type PauseContext = NonNullable<SprintRunDetail["pause_context"]>;

const pauseReasons: Record<string, string> = {
  merge_conflict: "Merge conflict",
  paused_by_person: "Paused by a member",
  budget: "Budget reached",
  question_expired: "A question was not answered in time",
};

/** Why a run is paused or has stopped. */
export function RunState({ run, productId }: { run: SprintRunDetail; productId: string }) {
  if (run.status === "paused" && run.pause_context) return <Paused context={run.pause_context} />;
  if (run.status !== "failed" || !run.failure) return null;
  const { task_id, task_code, reason } = run.failure;
  const counts = countStopped(statesOf(run));
  return (
    <Alert
      tone="failed"
      title={stoppedTitle(counts)}
      actions={
        <RetryForms action={`/products/${productId}/runs/${run.id}`} canSkip={counts.waiting > 0} failed={task_code} />
      }
    >
      <p>
        {task_id ? (
          <Link to={`/tasks/${task_id}`} className="underline">
            {task_code}
          </Link>
        ) : (
          <span>A job</span>
        )}
        <LiveText>{reason ? `: ${firstLine(reason)}` : " failed."}</LiveText>
      </p>
      <p className="text-muted">
        {counts.waiting > 0
          ? "Fix the task and try again, or skip it: it goes back to To do, and the other tasks continue."
          : "Fix the task and try again."}
      </p>
    </Alert>
  );
}

function reasonOf({ reason, tasks = [] }: PauseContext): string {
  const [own, other] = tasks;
  if (own === undefined) return pauseReasons[reason] ?? reason;
  return `${own} could not be merged${other === undefined ? "" : ` with ${other}`} after two attempts`;
}

function Paused({ context }: { context: PauseContext }) {
  return (
    <Alert tone="waiting" title={`Paused: ${reasonOf(context)}`}>
      {context.pr_url ? (
        <p>
          Pull request:{" "}
          <a href={context.pr_url} rel="noreferrer" className="underline">
            {context.pr_url}
          </a>
        </p>
      ) : null}
      {context.conflict_files.length > 0 ? (
        <>
          <p>Files in conflict:</p>
          <ul className="list-disc pl-5 font-mono text-xs">
            {context.conflict_files.map((file) => (
              <li key={file}>{file}</li>
            ))}
          </ul>
        </>
      ) : null}
    </Alert>
  );
}
