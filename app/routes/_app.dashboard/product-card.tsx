import { Link } from "@remix-run/react";
import { describeStatuses, RunStatus, WovenProgress } from "~/features/runs/run-status";
import { CodeChip } from "~/ui/badge";
import { LiveText } from "~/ui/live-text";
import { countText } from "~/ui/numbers";
import { CalendarDay, Elapsed } from "~/ui/relative-time";
import type { DashboardData } from "~/wire/pages/contract";

type Product = DashboardData["products"][number];

/** One product with its sprint and run, and links to them. */
export function ProductCard({ product }: { product: Product }) {
  const { active_sprint: sprint, run } = product;
  return (
    <article className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <header className="flex items-start justify-between gap-3">
        <h2 className="min-w-0 text-base font-semibold">
          <Link to={`/products/${product.id}/backlog`} data-row className="hover:underline">
            {product.name}
          </Link>
        </h2>
        <CodeChip className="max-w-2/5 shrink-0 truncate pt-1">{product.code}</CodeChip>
      </header>
      {sprint ? <SprintPart productId={product.id} sprint={sprint} /> : <NoSprint product={product} />}
      {run ? (
        <p className="mt-auto flex flex-wrap items-center gap-2 border-t border-line pt-3 text-sm">
          <RunStatus run={run} />
          <Link to={`/products/${product.id}/runs/${run.id}`} className="hover:underline">
            {`Run of ${countText(run.job_statuses.length, "job")}`}
          </Link>
          {run.started_at ? (
            <span className="text-muted">
              for <Elapsed from={run.started_at} />
            </span>
          ) : (
            <span className="text-muted">waiting for a worker</span>
          )}
        </p>
      ) : null}
    </article>
  );
}

function SprintPart({ productId, sprint }: { productId: string; sprint: NonNullable<Product["active_sprint"]> }) {
  return (
    <div className="grid gap-2">
      <p className="text-sm">
        <Link to={`/products/${productId}/sprints/${sprint.id}`} className="font-medium hover:underline">
          {sprint.code}
        </Link>
        {sprint.sprint_goal ? <span className="text-muted">: {sprint.sprint_goal}</span> : null}
      </p>
      <WovenProgress statuses={sprint.task_statuses} />
      <p className="text-xs text-muted">
        <LiveText>{sprint.task_statuses.length > 0 ? describeStatuses(sprint.task_statuses) : "No tasks yet"}</LiveText>
        {sprint.end_date ? (
          <>
            {" "}
            · ends <CalendarDay day={sprint.end_date} />
          </>
        ) : null}
      </p>
    </div>
  );
}

function NoSprint({ product }: { product: Product }) {
  return (
    <p className="text-sm text-muted">
      <LiveText>
        {product.open_stories === 0
          ? "No open stories."
          : `${countText(product.open_stories, "open story", "open stories")}.`}
      </LiveText>{" "}
      <Link
        to={`/products/${product.id}/sprints?panel=new`}
        className="text-accent underline underline-offset-2 hover:decoration-2"
      >
        Plan a sprint
      </Link>
    </p>
  );
}
