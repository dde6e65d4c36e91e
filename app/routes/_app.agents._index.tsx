import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { LineCounts } from "~/features/diff/line-counts";
import { BlockedReasons } from "~/features/jobs/blocked-reasons";
import { FailureLine } from "~/features/jobs/failure";
import { type BlockedReason, findBlockedReasons } from "~/features/jobs/find-blocked-reasons.server";
import { JobStatus } from "~/features/jobs/job-badges";
import { jobKinds, tokensOf } from "~/features/jobs/job-card";
import { ProductAccess } from "~/features/products/product-access";
import { done, readForm } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { cancelAgentJob, listAgentJobs, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { WritePress } from "~/ui/action-form";
import { AgentName } from "~/ui/avatar";
import { CodeChip } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { LiveText } from "~/ui/live-text";
import { costsText, tokensText } from "~/ui/numbers";
import { useRowKeys } from "~/ui/page-keys";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import { isHeld } from "~/ui/status";
import { FilterLinks } from "~/ui/tabs";
import { type AgentJob, jobIdInput } from "~/wire/agent-jobs/contract";
import { isCanonicalUuid } from "~/wire/canonical-id";
import { ProductFilter } from "./_app/palette/product-filter";

export const loader = personLoader(async ({ actor, request, context }) => {
  const address = new URL(request.url).searchParams;
  const product = address.get("product") ?? "";
  const reason = address.get("why") ?? "";
  const all = address.get("state") === "all";
  // More than one call: the reasons are of the one job that is asked about.
  const [page, reasons] = await Promise.all([
    listAgentJobs(actor, {
      product_id: isCanonicalUuid(product) ? product : undefined,
      state: all ? undefined : "unfinished",
      limit: 100,
      cursor: address.get("after") ?? undefined,
    }),
    isCanonicalUuid(reason) ? whyNotMoving(actor, { kind: "job", id: reason }) : null,
  ]);
  const why = reasons && findBlockedReasons(reasons, context.services.env.appOrigin);
  return json({ ...page, all, productId: product || null, why: why && { id: reason, reasons: why } });
});

export const action = writeAction(async ({ actor, form }) => {
  await cancelAgentJob(actor, readForm(form, jobIdInput));
  return done(form, "/agents", "Job cancelled");
});

export const meta: MetaFunction = () => [{ title: "Jobs · Backloom" }];

export default function JobsPage() {
  const { jobs, next_cursor, all, productId, why } = useLoaderData<typeof loader>();
  useRowKeys();
  const kept = productId ? `product=${productId}&` : "";
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <FilterLinks
          label="Jobs by state"
          current={all ? "all" : "unfinished"}
          links={[
            ["unfinished", "Unfinished", `?${kept}`],
            ["all", "All", `?${kept}state=all`],
          ]}
        />
        <ProductFilter productId={productId} />
      </div>
      {jobs.length === 0 ? (
        <EmptyState title={all ? "No jobs yet" : "The queue is empty"}>
          Jobs come from runs, one per task, and from questions about ideas.
        </EmptyState>
      ) : (
        <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} why={why?.id === job.id ? why.reasons : null} />
          ))}
        </ul>
      )}
      {next_cursor ? (
        <p className="mt-4 text-center">
          <ButtonLink to={`?${kept}${all ? "state=all&" : ""}after=${next_cursor}`}>More</ButtonLink>
        </p>
      ) : null}
    </>
  );
}

function JobRow({ job, why }: { job: AgentJob; why: readonly BlockedReason[] | null }) {
  const running = isHeld(job.status);
  const tokens = tokensOf(job);
  return (
    <li className="grid gap-1 px-4 py-2.5 text-sm">
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <JobStatus job={job} />
        <Link to={`/jobs/${job.id}`} data-row className="min-w-40 flex-1 hover:underline">
          <CodeChip className="mr-2">{job.task_code ?? job.idea_code ?? ""}</CodeChip>
          <LiveText>{job.kind === "TASK_IMPLEMENTATION" ? job.task_title : jobKinds[job.kind]}</LiveText>
        </Link>
        <span className="flex flex-wrap items-center gap-x-3 text-xs text-muted">
          <span>{job.product_code}</span>
          {job.worker_name ? <AgentName>{job.worker_name}</AgentName> : null}
          {job.started_at ? (
            <Elapsed from={job.started_at} to={job.attempt_ended_at ?? job.finished_at} />
          ) : (
            <RelativeTime at={job.created_at} />
          )}
          {running && job.lease_until ? (
            <span>
              lease ends <RelativeTime at={job.lease_until} />
            </span>
          ) : null}
          {job.retry_count > 0 ? <span>{`retry ${job.retry_count} of 3`}</span> : null}
          {job.additions !== null && job.deletions !== null ? (
            <LineCounts additions={job.additions} deletions={job.deletions} />
          ) : null}
          {tokens > 0 ? <span>{tokensText(tokens)}</span> : null}
          {job.costs.length > 0 ? <span>{costsText(job.costs)}</span> : null}
        </span>
        {job.status === "queued" ? (
          <span className="-mx-2 flex gap-1 max-sm:basis-full">
            <ButtonLink to={`?why=${job.id}`} preventScrollReset size="sm" tone="quiet">
              Why is it waiting?
            </ButtonLink>
            <ProductAccess productId={job.product_id}>
              <WritePress size="sm" tone="quiet" name="job_id" value={job.id}>
                Cancel
              </WritePress>
            </ProductAccess>
          </span>
        ) : null}
      </div>
      {why ? (
        <div role="status" className="text-waiting">
          <BlockedReasons reasons={why} />
        </div>
      ) : null}
      <FailureLine reason={job.failure_reason} />
    </li>
  );
}
