import { Link } from "@remix-run/react";
import type { SprintRunDetail } from "~/contract/sprint-run";
import { firstLine } from "~/features/jobs/first-line";
import { Alert } from "~/ui/alert";

type PauseContext = NonNullable<SprintRunDetail["pause_context"]>;

const pauseReasons: Record<string, string> = {
  merge_conflict: "Merge conflict",
  paused_by_person: "Paused by a member",
  budget: "Budget reached",
  question_expired: "A question was not answered in time",
};

/** Why a run stands still or ended early: the reason, in place. */
export function RunState({ run, productId }: { run: SprintRunDetail; productId: string }) {
  if (run.status === "paused" && run.pause_context) return <Paused context={run.pause_context} />;
  if (run.status !== "failed" || !run.failure) return null;
  const { task_id, task_code, reason } = run.failure;
  const { failed, cancelled } = run.counts;
  return (
    <Alert tone="failed" title={`${failed} failed, ${cancelled} waiting: try again or skip`}>
      <p>
        {task_id ? (
          <Link to={`/tasks/${task_id}`} className="underline">
            {task_code}
          </Link>
        ) : (
          "A job"
        )}
        {reason ? `: ${firstLine(reason)}` : " failed."}
      </p>
      <p className="text-muted">
        Fix the task and press <em>Try again</em>, or skip it: set it to Done
        {run.sprint_id === null ? "." : ", or take its story out of the "}
        {run.sprint_id === null ? null : (
          <Link to={`/products/${productId}/sprints/${run.sprint_id}`} className="underline">
            sprint
          </Link>
        )}
        {run.sprint_id === null ? "" : "."} What waits continues with the next try.
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
