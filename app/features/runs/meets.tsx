import { Link } from "@remix-run/react";
import { WriteForm } from "~/ui/action-form";
import { SubmitButton } from "~/ui/button";
import type { TaskForecast } from "~/wire/forecasts/contract";

/** Said where a task is started: who is at work on the same files. One press lets it wait for one of them. */
export function Meets({ task, meets }: { task: { id: string; code: string } } & Pick<TaskForecast, "meets">) {
  const [first] = meets;
  if (first === undefined) return null;
  return (
    <div className="grid justify-items-start gap-1.5 text-sm">
      <p>
        {meets.length === 1 ? "A running task probably touches " : `${meets.length} running tasks probably touch `}
        <span className="font-mono text-xs wrap-anywhere">{first.paths[0]}</span> too:{" "}
        {meets.map(({ job_id, task: other }, n) => (
          <span key={job_id}>
            {n > 0 ? ", " : ""}
            <Link to={`/tasks/${other.id}`} className="underline">
              {other.code}
            </Link>
          </span>
        ))}
      </p>
      <div className="flex flex-wrap gap-2">
        {meets.slice(0, 3).map(({ job_id, task: other }) => (
          <WriteForm
            key={job_id}
            action={`/tasks/${task.id}`}
            fields={{ intent: "add-dependency", blocked_by: other.code }}
          >
            <SubmitButton tone="plain" size="sm" pendingLabel="Saving…">
              {`Let ${task.code} wait for ${other.code}`}
            </SubmitButton>
          </WriteForm>
        ))}
      </div>
    </div>
  );
}
