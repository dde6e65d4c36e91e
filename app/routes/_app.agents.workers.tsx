import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { useEffect } from "react";
import { ConfinementBadge } from "~/features/jobs/job-badges";
import { personLoader } from "~/http/page-guards.server";
import { useLive } from "~/live/live-provider";
import { listAgentWorkers } from "~/nouns/workers/operations.server";
import { AgentName } from "~/ui/avatar";
import { Badge } from "~/ui/badge";
import { EmptyState } from "~/ui/empty-state";
import { isolated } from "~/ui/isolated";
import { LiveText } from "~/ui/live-text";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import { Cell, Table } from "~/ui/table";
import type { AgentWorkerList } from "~/wire/workers/worker-presence";

export const loader = personLoader(async ({ actor }) => json(await listAgentWorkers(actor, {})));

export const meta: MetaFunction = () => [{ title: "Workers · Backloom" }];

export default function WorkersPage() {
  const { workers } = useLoaderData<typeof loader>();
  usePresence();
  if (workers.length === 0) {
    return (
      <EmptyState title="No workers yet">
        A worker is a machine with your repository and a coding agent. Connect one with a single command.
      </EmptyState>
    );
  }
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <Table stacked caption="Workers" head={["Worker", "State", "Doing", "Quota left", "Last seen"]}>
        {workers.map((worker) => (
          <WorkerRow key={worker.id} worker={worker} />
        ))}
      </Table>
    </div>
  );
}

function WorkerRow({ worker }: { worker: AgentWorkerList["workers"][number] }) {
  const job = worker.current_job;
  return (
    <tr>
      <Cell>
        <span className="font-medium text-ink">
          <AgentName>{worker.name}</AgentName>
        </span>
        <span className="block text-xs text-muted">
          {worker.username}
          {worker.hostname ? ` on ${isolated(worker.hostname)}` : ""} {worker.version ?? ""}
        </span>
        {worker.offers.length > 0 ? (
          <span className="block text-xs text-muted">{worker.offers.map(offerText).join(", ")}</span>
        ) : null}
        <ConfinementBadge confinement={worker.confinement} />
      </Cell>
      <Cell label="State">
        <StatusPill
          status={worker.online ? (job ? "RUNNING" : "READY") : "CANCELLED"}
          label={worker.online ? (job ? "Working" : "Waiting for a job") : worker.stopped_at ? "Stopped" : "Offline"}
        />
      </Cell>
      <Cell label="Doing">
        {job ? (
          <span className="grid">
            <Link to={job.task_id ? `/tasks/${job.task_id}` : `/ideas/${job.idea_id}`} className="hover:underline">
              <LiveText>{job.task_code ?? job.idea_code}</LiveText> <bdi>{job.task_title}</bdi>
            </Link>
            {job.started_at ? (
              <span className="text-xs text-muted">
                for <Elapsed from={job.started_at} />
              </span>
            ) : null}
          </span>
        ) : (
          <span className="text-muted">nothing</span>
        )}
      </Cell>
      <Cell label="Quota left">
        {worker.last_quota_pct === null ? (
          <span className="text-muted">Unknown</span>
        ) : (
          <span className="flex items-center gap-2">
            <LiveText>{`${worker.last_quota_pct} %`}</LiveText>
            {worker.quota_ok ? null : <Badge tone="waiting">under {worker.min_quota_pct} %, gets no jobs</Badge>}
          </span>
        )}
      </Cell>
      <Cell label="Last seen">
        <RelativeTime at={worker.last_seen_at} />
      </Cell>
    </tr>
  );
}

/** Presence belongs to no product, so the page polls it. */
function usePresence() {
  const { revalidate } = useLive();
  useEffect(() => {
    const timer = setInterval(revalidate, 10_000);
    return () => clearInterval(timer);
  }, [revalidate]);
}

type Offer = AgentWorkerList["workers"][number]["offers"][number];

/** An agent that a worker has, with what keeps it from work. */
function offerText({ id, quota_pct, limited_until }: Offer): string {
  if (limited_until && new Date(limited_until) > new Date()) return `${id} (at its limit)`;
  return quota_pct === undefined ? id : `${id} (${quota_pct} % left)`;
}
