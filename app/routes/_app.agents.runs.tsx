import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { NewRowsBanner, useSteadyRows } from "~/features/items/lists/steady-rows";
import { firstLine } from "~/features/jobs/first-line";
import { RunStatus, WovenProgress } from "~/features/runs/run-status";
import { stoppedTitle } from "~/features/runs/stopped-run";
import { findAskedProduct, personLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { listSprintRuns } from "~/nouns/sprint-runs/operations.server";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { costsText, countText } from "~/ui/numbers";
import { useRowKeys } from "~/ui/page-keys";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import type { SprintRun } from "~/wire/sprint-runs/contract";
import { ProductFilter } from "./_app/palette/product-filter";

export const loader = personLoader(async (given) => {
  const product_id = await findAskedProduct(given.request, given);
  const cursor = new URL(given.request.url).searchParams.get("after") ?? undefined;
  const page = product_id
    ? await listSprintRuns(given.actor, { product_id, limit: 30, cursor })
    : { runs: [], next_cursor: null };
  return json({ productId: product_id, runs: page.runs, next_cursor: page.next_cursor });
});

export const meta: MetaFunction = () => [{ title: "Runs · Backloom" }];

const runKey = ({ id }: { id: string }) => id;

export default function RunsPage() {
  const { productId, runs, next_cursor } = useLoaderData<typeof loader>();
  useLiveRevalidation(productId ? { stream: "backlog", productId } : { stream: "notifications" });
  useRowKeys();
  const { list, shown, fresh, show } = useSteadyRows(runs, runKey);
  return (
    <div ref={list}>
      <div className="mb-4 flex justify-end">
        <ProductFilter productId={productId} required />
      </div>
      <NewRowsBanner count={fresh} show={show} />
      {runs.length === 0 ? (
        <EmptyState title="No runs yet">
          A run gives tasks to your agents in order. Start one on the sprint page, or press r on a task or story.
        </EmptyState>
      ) : (
        <ul className="grid gap-3">
          {shown.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ul>
      )}
      {next_cursor ? (
        <p className="mt-4 text-center">
          <ButtonLink to={`?product=${productId}&after=${next_cursor}`}>Older runs</ButtonLink>
        </p>
      ) : null}
    </div>
  );
}

function RunRow({ run }: { run: SprintRun }) {
  return (
    <li className="grid gap-2 rounded-lg border border-line bg-surface px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <RunStatus run={run} />
        <Link to={`/products/${run.product_id}/runs/${run.id}`} data-row className="font-medium hover:underline">
          {`${run.sprint_code ?? run.subject}, ${countText(run.jobs_total, "job")}`}
        </Link>
        <span className="text-xs text-muted">
          started <RelativeTime at={run.created_at} /> by {run.started_by_name}
        </span>
        <span className="ml-auto flex gap-4 text-xs text-muted">
          {run.started_at ? <Elapsed from={run.started_at} to={run.finished_at} /> : null}
          {run.costs.length > 0 ? <span>{costsText(run.costs)}</span> : null}
        </span>
      </div>
      <WovenProgress statuses={runSegments(run)} />
      {run.status === "failed" ? (
        <p className="text-sm text-failed">
          {stoppedTitle({ failed: run.counts.failed, waiting: run.counts.cancelled })}
          {run.failure?.reason ? ` (${run.failure.task_code}: ${firstLine(run.failure.reason)})` : null}
        </p>
      ) : null}
    </li>
  );
}

/** Returns a run's jobs as segments, finished ones first. Used if their order is unknown. */
function runSegments({ counts, waits_for }: SprintRun): string[] {
  const review = waits_for?.reviews ?? 0;
  const all = { ...counts, review, queued: counts.queued - review };
  const order = ["done", "skipped", "review", "failed", "running", "claimed", "queued", "cancelled"] as const;
  return order.flatMap((status) => Array.from({ length: all[status] }, () => status));
}
