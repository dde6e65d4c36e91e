import { Link } from "@remix-run/react";
import { Section } from "~/ui/card";
import { StatusDot } from "~/ui/status";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import type { RunOrder } from "~/wire/dependencies/contract";

const mostSteps = 12;
const finished = new Set(["done", "failed", "cancelled", "skipped"]);

/** Which jobs can run at once, and which follow. Empty if all run one after the other. */
export function RunSteps({ jobs, order }: { jobs: readonly AgentJob[]; order: RunOrder }) {
  const steps = stepsOf(jobs, order);
  if (steps.length < 2 || steps.every((step) => step.length === 1)) return null;
  const waits = new Map(order.map(({ job_id, blocked_by }) => [job_id, blocked_by]));
  const first = steps.findIndex((step) => step.some(({ status }) => !finished.has(status)));
  const from = Math.max(first, 0);
  const shown = steps.slice(from, from + mostSteps);
  const hidden = steps.length - from - shown.length;
  return (
    <Section title="Steps" about="Tasks in the same step can run in parallel.">
      <ol className="grid gap-2 text-sm" start={from + 1}>
        {shown.map((step, index) => (
          <li key={step[0]?.id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
            <span className="w-16 text-xs text-muted tabular-nums">Step {from + index + 1}</span>
            <ul className="flex min-w-0 flex-1 flex-wrap gap-x-4 gap-y-1">
              {step.map((job) => (
                <StepJob key={job.id} job={job} waits={waits.get(job.id) ?? []} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {hidden > 0 ? <p className="mt-2 text-xs text-muted">{`and ${hidden} more after these`}</p> : null}
    </Section>
  );
}

function StepJob({ job, waits }: { job: AgentJob; waits: RunOrder[number]["blocked_by"] }) {
  const open = waits.filter(({ resolved }) => !resolved).map(({ code }) => code);
  return (
    <li className="flex items-center gap-1.5">
      <StatusDot status={job.status} />
      <Link to={`/tasks/${job.task_id}`} title={job.task_title ?? ""} className="hover:underline">
        <span className="font-mono text-xs">{job.task_code}</span>
      </Link>
      {open.length > 0 ? (
        <span className="text-xs text-muted">
          {`blocked by ${open.slice(0, 3).join(", ")}${open.length > 3 ? ` and ${open.length - 3} more` : ""}`}
        </span>
      ) : null}
    </li>
  );
}

type OrderedJob = { id: string; task_id: string | null; story_id: string | null };

/** A job follows the previous one in its branch queue and all blockers of its task, both tasks and whole stories. */
export function stepsOf<Job extends OrderedJob>(jobs: readonly Job[], order: RunOrder): Job[][] {
  const known = new Map(jobs.map((job) => [job.id, job]));
  /** The step after which a branch queue, task or story is done, for the jobs seen so far. */
  const ends = new Map<string, number>();
  const steps: Job[][] = [];
  for (const { job_id, lane, blocked_by } of order) {
    const job = known.get(job_id);
    if (!job) continue;
    const before = [lane, ...blocked_by.map(({ id }) => id)].map((id) => ends.get(id) ?? 0);
    const step = Math.max(...before);
    steps[step] = [...(steps[step] ?? []), job];
    for (const id of [lane, job.task_id, job.story_id]) {
      if (id !== null) ends.set(id, Math.max(ends.get(id) ?? 0, step + 1));
    }
  }
  return steps;
}
