import { Link } from "@remix-run/react";
import type { AgentJob } from "~/nouns/agent-jobs/contract";
import type { RunOrder } from "~/nouns/dependencies/contract";
import { Section } from "~/ui/card";
import { StatusDot } from "~/ui/status-pill";
import { wavesOf } from "./waves";

const mostWaves = 12;
const finished = new Set(["done", "failed", "cancelled", "skipped"]);

/** Which jobs can run at once, and which follow. Empty if all run one after the other. */
export function RunWaves({ jobs, order }: { jobs: readonly AgentJob[]; order: RunOrder }) {
  const waves = wavesOf(jobs, order);
  if (waves.length < 2 || waves.every((wave) => wave.length === 1)) return null;
  const waits = new Map(order.map(({ job_id, blocked_by }) => [job_id, blocked_by]));
  const first = waves.findIndex((wave) => wave.some(({ status }) => !finished.has(status)));
  const from = Math.max(first, 0);
  const shown = waves.slice(from, from + mostWaves);
  const hidden = waves.length - from - shown.length;
  return (
    <Section title="Waves" about="Tasks in one wave can run at the same time.">
      <ol className="grid gap-2 text-sm" start={from + 1}>
        {shown.map((wave, index) => (
          <li key={wave[0]?.id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
            <span className="w-16 text-xs text-muted tabular-nums">Wave {from + index + 1}</span>
            <ul className="flex min-w-0 flex-1 flex-wrap gap-x-4 gap-y-1">
              {wave.map((job) => (
                <WaveJob key={job.id} job={job} waits={waits.get(job.id) ?? []} />
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {hidden > 0 ? <p className="mt-2 text-xs text-muted">and {hidden} more after these</p> : null}
    </Section>
  );
}

function WaveJob({ job, waits }: { job: AgentJob; waits: RunOrder[number]["blocked_by"] }) {
  const open = waits.filter(({ resolved }) => !resolved).map(({ code }) => code);
  return (
    <li className="flex items-center gap-1.5">
      <StatusDot status={job.status} />
      <Link to={`/tasks/${job.task_id}`} title={job.task_title ?? ""} className="hover:underline">
        <span className="font-mono text-xs">{job.task_code}</span>
      </Link>
      {open.length > 0 ? (
        <span className="text-xs text-muted">
          blocked by {open.slice(0, 3).join(", ")}
          {open.length > 3 ? ` and ${open.length - 3} more` : ""}
        </span>
      ) : null}
    </li>
  );
}
