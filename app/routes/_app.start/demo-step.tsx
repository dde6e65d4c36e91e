import { JobStatus } from "~/features/jobs/job-badges";
import { QuestionCard } from "~/features/questions/question-card";
import { CodeChip } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { CopyBlock } from "~/ui/copy-button";
import { setups } from "../_app.connect/setups";
import type { Progress } from "./progress.server";
import { PressFor } from "./step";

/** The demo in place, from the first click to the approved work: command, jobs, question, review. */
export function DemoStep({
  isCurrent,
  sample,
  origin,
  token,
}: {
  isCurrent: boolean;
  sample: Progress["sample"];
  origin: string;
  token: string | null;
}) {
  const begun = sample?.begun ?? false;
  const review = sample?.jobs.find(({ needsReview }) => needsReview);
  return (
    <>
      {token && !begun ? (
        <>
          <CopyBlock label="Terminal, in any folder" text={demoLine(origin, token)} />
          <p role="status" className="text-sm text-muted">
            Copy the line into a terminal. This page continues by itself.
          </p>
        </>
      ) : null}
      {!token && !begun ? (
        <PressFor intent="demo" isCurrent={isCurrent}>
          Start the demo agent
        </PressFor>
      ) : null}
      {sample?.question ? <QuestionCard question={sample.question} /> : null}
      {sample && begun ? <DemoJobs jobs={sample.jobs} /> : null}
      {review ? (
        <div>
          <ButtonLink to={`/jobs/${review.id}/changes#review`} tone="primary">
            Review {review.task_code}
          </ButtonLink>
        </div>
      ) : null}
    </>
  );
}

function DemoJobs({ jobs }: { jobs: NonNullable<Progress["sample"]>["jobs"] }) {
  return (
    <ul className="grid gap-1.5 text-sm">
      {jobs.map((job) => (
        <li key={job.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="min-w-28 flex-1 max-sm:basis-full">
            <CodeChip className="mr-2">{job.task_code ?? ""}</CodeChip>
            {job.task_title}
          </span>
          <JobStatus job={job} asks={job.asks} />
          <ButtonLink to={`/jobs/${job.id}`} size="sm" aria-label={`Watch ${job.task_code}`}>
            Watch
          </ButtonLink>
        </li>
      ))}
    </ul>
  );
}

function demoLine(origin: string, token: string): string {
  const product = { id: "", code: "SAMPLE" };
  const setup = setups({ origin, token, product }).find(({ name }) => name === "The demo worker");
  // Limits the demo worker to the sample, no matter what else its user has.
  return `${setup?.blocks[0]?.text} --product ${product.code}`;
}
