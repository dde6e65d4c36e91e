import { Link } from "@remix-run/react";
import { WriteForm } from "~/ui/action-form";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import type { TaskForecast } from "~/wire/forecasts/contract";
import type { TaskPageData } from "~/wire/pages/contract";

const most = 5;

/** Files that earlier changes with such words touched, or a folder; after the delivery, how many of them it was. */
export function ProbablyTouches({ touches, result }: Pick<TaskForecast, "touches" | "result">) {
  if (touches.length === 0) return null;
  return (
    <Section title={result ? "Was expected to touch" : "Probably touches"}>
      <ul className="grid gap-1.5 text-sm">
        {touches.slice(0, most).map(({ path, is_folder, in: times, of }) => (
          <li key={path} className="min-w-0">
            <span className="font-mono text-xs wrap-anywhere">
              {is_folder ? <span className="font-sans">Mostly in </span> : null}
              {path}
            </span>
            <span className="block text-xs text-muted">
              {times === null ? "named in the task" : `in ${times} of ${of} similar changes`}
            </span>
          </li>
        ))}
      </ul>
      {touches.length > most ? <p className="mt-2 text-xs text-muted">and {touches.length - most} more</p> : null}
      {result ? (
        <p className="mt-3 text-sm">
          Named {result.hit} of {result.changed} changed {result.changed === 1 ? "file" : "files"}
        </p>
      ) : null}
    </Section>
  );
}

/** Said where the task is started: who is at work on the same files. One press lets it wait for one of them. */
export function Meets({ page: { task, dependencies }, meets }: { page: TaskPageData } & Pick<TaskForecast, "meets">) {
  const [first] = meets;
  if (first === undefined || (task.status !== "todo" && task.status !== "failed")) return null;
  const waitsFor = new Set(dependencies.blocked_by.map(({ id }) => id));
  const free = meets.filter((one) => !waitsFor.has(one.task.id));
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
        {free.slice(0, 3).map(({ job_id, task: other }) => (
          <WriteForm key={job_id} fields={{ intent: "add-dependency", blocked_by: other.code }}>
            <SubmitButton tone="plain" size="sm" pendingLabel="Saving…">
              {`Let ${task.code} wait for ${other.code}`}
            </SubmitButton>
          </WriteForm>
        ))}
      </div>
    </div>
  );
}
