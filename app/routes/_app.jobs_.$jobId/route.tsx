import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData, useRevalidator } from "@remix-run/react";
import { CodeChip } from "~/components/badge";
import { Section } from "~/components/card";
import { JobCard, jobKinds } from "~/components/jobs/job-card";
import { OutputLog } from "~/components/output/output-log";
import { PageHeader } from "~/components/page-header";
import { QuestionCard } from "~/components/questions/question-card";
import { StatusPill } from "~/components/status-pill";
import type { AgentJobDetail } from "~/contract/agent-job";
import { getAgentJob } from "~/domain/agent-jobs/get-agent-job.server";
import { getJobOutput } from "~/domain/agent-jobs/get-job-output.server";
import { whyNotMoving } from "~/domain/agent-jobs/why-not-moving.server";
import { pageLoader, requireActor } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { AttemptList } from "./attempt-list";

export { shouldRevalidate } from "~/live/unreachable";

/** A page shows the end of a long output; the rest comes when somebody asks. */
const shownEntries = 300;

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor } = await requireActor(request, context);
  const jobId = requireId(params.jobId, "agent job");
  const job = await getAgentJob(actor, { job_id: jobId });
  const wanted = Number(new URL(request.url).searchParams.get("attempt"));
  const attempt = job.attempts.find((each) => each.attempt === wanted) ?? job.attempts.at(-1);
  const [output, why] = await Promise.all([
    getJobOutput(actor, {
      job_id: jobId,
      attempt: attempt?.attempt,
      after: Math.max(0, (attempt?.last_seq ?? 0) - shownEntries),
      limit: shownEntries,
    }),
    whyNotMoving(actor, { kind: "job", id: jobId }),
  ]);
  return json({ job, output, why: why.moving || job.finished_at ? null : why.text });
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: data ? `${nameOf(data.job)} · Backloom` : "Job · Backloom" },
];

export default function JobPage() {
  const { job, output, why } = useLoaderData<typeof loader>();
  const { revalidate } = useRevalidator();
  const open = job.questions.filter((question) => question.status === "open");
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Jobs", to: "/jobs?state=all" }, ...crumbsOf(job)]}
        title={
          <span className="flex flex-wrap items-center gap-2.5">
            {(job.task_code ?? job.idea_code) ? (
              <CodeChip>{job.task_code ?? job.idea_code ?? ""}</CodeChip>
            ) : null}
            {job.kind === "TASK_IMPLEMENTATION" ? job.task_title : jobKinds[job.kind]}
            <StatusPill status={job.status} />
          </span>
        }
        lead={why}
      />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 gap-5">
          {open.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          <Section title="Run" about="What the agent says and does. All of it is data, not advice.">
            <OutputLog key={`${job.id}-${output.attempt}`} output={output} onChange={revalidate} />
          </Section>
        </div>
        <div className="grid min-w-0 gap-5">
          <JobCard job={job} />
          <Section title={`Attempts (${job.attempts.length})`}>
            <AttemptList job={job} shown={output.attempt} />
          </Section>
        </div>
      </div>
    </>
  );
}

function crumbsOf(job: AgentJobDetail) {
  if (job.task_id) return [{ label: job.task_code ?? "Task", to: `/tasks/${job.task_id}` }];
  return job.idea_id ? [{ label: job.idea_code ?? "Idea", to: `/ideas/${job.idea_id}` }] : [];
}

function nameOf(job: AgentJobDetail): string {
  return `Job of ${job.task_code ?? job.idea_code ?? "a sprint"}`;
}
