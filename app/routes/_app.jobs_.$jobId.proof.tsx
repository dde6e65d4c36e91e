import { json } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { ProofPart } from "~/features/proof/proof-part";
import { personLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getJobProof } from "~/nouns/proof/operations.server";
import { EmptyState } from "~/ui/empty-state";
import { canonicalId } from "~/wire/canonical-id";
import { useJob } from "./_app.jobs_.$jobId/job-data";

export const loader = personLoader(async ({ actor, params }) =>
  json(await getJobProof(actor, { job_id: canonicalId(params.jobId) })),
);

/** Proof of a job's work: criteria of its story, or of each story in its batch. */
export default function JobProof() {
  const { stories } = useLoaderData<typeof loader>();
  const job = useJob();
  useLiveRevalidation({ stream: "backlog", productId: job.product_id });
  if (stories.length === 0) {
    return <EmptyState title="No criteria">An idea conversation has no criteria.</EmptyState>;
  }
  return (
    <div className="grid gap-5">
      {stories.map(({ id, code, title, proof }) => (
        <div key={id} className="grid gap-2">
          <p className="text-sm">
            <Link to={`/stories/${id}`} className="text-accent underline">
              {code} <bdi>{title}</bdi>
            </Link>
          </p>
          <ProofPart proof={proof} />
        </div>
      ))}
    </div>
  );
}
