import { json, type MetaFunction } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { readJobData } from "~/features/jobs/job-data.server";
import { JobHeader } from "~/features/jobs/job-header";
import { ProductAccess } from "~/features/products/product-access";
import { personLoader } from "~/http/page-guards.server";
import { getJobPage } from "~/nouns/pages/operations.server";
import { isolated } from "~/ui/isolated";
import type { AgentJobDetail } from "~/wire/agent-jobs/contract";
import { canonicalId } from "~/wire/canonical-id";

export { RouteError as ErrorBoundary } from "~/ui/error-page";

/** Loads what all job tabs share: the job, its run, and why it does not move. */
export const loader = personLoader(async ({ actor, context, params }) => {
  const page = await getJobPage(actor, { job_id: canonicalId(params.jobId) });
  return json(readJobData(page, context.services.env.appOrigin));
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${isolated(nameOf(data.job))} · Backloom` : "Job · Backloom" },
];

export default function JobLayout() {
  const data = useLoaderData<typeof loader>();
  return (
    <ProductAccess productId={data.job.product_id}>
      <JobHeader {...data} />
      <Outlet />
    </ProductAccess>
  );
}

const nameOf = (job: AgentJobDetail): string => `Job of ${job.task_code ?? job.idea_code ?? "a sprint"}`;
