import { json } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { DiffView } from "~/components/diff/diff-view";
import { LineCounts } from "~/components/diff/line-counts";
import { showDiff } from "~/components/diff/show-diff.server";
import { EmptyState } from "~/components/empty-state";
import { countText } from "~/components/numbers";
import { getJobDiff } from "~/domain/agent-jobs/get-job-diff.server";
import { pageLoader, requireActor } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveJob } from "~/live/use-live-job";
import { useJob } from "../_app.jobs_.$jobId/job-data";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor } = await requireActor(request, context);
  const jobId = requireId(params.jobId, "agent job");
  const { searchParams } = new URL(request.url);
  const diff = await getJobDiff(actor, {
    job_id: jobId,
    attempt: numberOf(searchParams, "attempt"),
  });
  if (diff === null) return json({ diff: null });
  const files = await showDiff(diff, numberOf(searchParams, "open") ?? null);
  return json({ diff: { ...diff, files } });
});

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/** What the attempts of a job have changed. */
export default function JobChanges() {
  const { diff } = useLoaderData<typeof loader>();
  const job = useJob();
  useLiveJob(job.id);
  if (diff === null) {
    return (
      <EmptyState title="Nothing changed yet">
        What the agent changes is shown here as soon as its attempt ends.
      </EmptyState>
    );
  }
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <span>{countText(diff.files.length, "file")}</span>
        <LineCounts additions={diff.additions} deletions={diff.deletions} />
        {diff.attempts.length > 1 ? (
          <nav aria-label="Changes of attempt" className="flex flex-wrap gap-2">
            {diff.attempts.map((attempt) => (
              <Link
                key={attempt}
                to={`?attempt=${attempt}`}
                aria-current={attempt === diff.attempt ? "page" : undefined}
                className="text-muted hover:underline aria-[current=page]:font-medium aria-[current=page]:text-ink"
              >
                Attempt {attempt}
              </Link>
            ))}
          </nav>
        ) : null}
      </div>
      <DiffView
        key={`${job.id}-${diff.attempt}`}
        jobId={job.id}
        attempt={diff.attempt}
        files={diff.files}
        below={new Map()}
        above={new Map()}
        onSpot={() => undefined}
      />
    </div>
  );
}
