import { json } from "@remix-run/node";
import { Link, useFetcher, useLoaderData } from "@remix-run/react";
import { MessageStateBadge } from "~/features/comments/comment-item";
import { MentionArea } from "~/features/comments/mention-area";
import { attemptName, ConfinementBadge } from "~/features/jobs/job-badges";
import { JobCard } from "~/features/jobs/job-card";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { Prose, type SafeHtml } from "~/features/markdown/prose";
import { OutputLog } from "~/features/output/output-log";
import { TryIt } from "~/features/previews/try-it";
import { useIsViewer } from "~/features/products/product-access";
import { QuestionCard } from "~/features/questions/question-card";
import { done, readForm, runForm, runIntent } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLive } from "~/live/live-provider";
import { getAgentJob, getJobOutput, reviewPlan } from "~/nouns/agent-jobs/operations.server";
import { listJobMessages, messageJob } from "~/nouns/comments/operations.server";
import { type ActionResult, useActionResult, useSent } from "~/ui/action-result";
import { AgentName } from "~/ui/avatar";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { Elapsed, RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import { type AgentJobDetail, reviewPlanInput } from "~/wire/agent-jobs/contract";
import type { OutputEntry } from "~/wire/agent-jobs/job-output";
import { canonicalId } from "~/wire/canonical-id";
import { type JobMessage, messageJobInput } from "~/wire/comments/contract";
import { useJob } from "./_app.jobs_.$jobId/job-data";

/** The page shows the end of a long output; the rest loads on request. */
const shownEntries = 300;
const shownCharacters = 150_000;

export const loader = personLoader(async ({ actor, principal, request, params }) => {
  const jobId = canonicalId(params.jobId);
  // More than one call: how much output to ask for depends on the attempt.
  const [{ attempts }, { messages }] = await Promise.all([
    getAgentJob(actor, { job_id: jobId }),
    listJobMessages(actor, { job_id: jobId }),
  ]);
  const wanted = Number(new URL(request.url).searchParams.get("attempt"));
  const attempt = attempts.find((each) => each.attempt === wanted) ?? attempts.at(-1);
  const output = await getJobOutput(actor, {
    job_id: jobId,
    attempt: attempt?.attempt,
    after: Math.max(0, (attempt?.last_seq ?? 0) - (attempt ? likelyEntries(attempt) : 0)),
    limit: shownEntries,
  });
  const talk = await Promise.all(
    messages.map(async (message) => ({ ...message, html: await renderMarkdown(message.text, principal.user_id) })),
  );
  return json({ talk, output: { ...output, entries: endOf(output.entries) } });
});

export const action = writeAction(async ({ actor, form, params }) => {
  const job_id = canonicalId(params.jobId);
  form.set("job_id", job_id);
  return runIntent(form, {
    message: () =>
      runForm(form, messageJobInput, async (input) => {
        await messageJob(actor, input);
        return done(form, `/jobs/${job_id}#messages`, "Sent to the agent");
      }),
    "judge-plan": async () => {
      const input = planVerdictOf(form);
      await reviewPlan(actor, input);
      const result = input.verdict === "approve" ? "Plan approved" : "Plan sent back";
      return done(form, `/jobs/${job_id}`, result);
    },
  });
});

/** Browsers send the line ends of a text area as two characters; the approved text keeps those it had. */
function planVerdictOf(form: FormData) {
  const plan = form.get("plan");
  if (typeof plan === "string") form.set("plan", plan.replaceAll("\r\n", "\n"));
  return readForm(form, reviewPlanInput);
}

/** Returns how many entries to load: twice what fits if all have average length, so fewer if entries are long. */
function likelyEntries(attempt: { last_seq: number; output_bytes: number }): number {
  const { last_seq, output_bytes } = attempt;
  const average = Math.max(1, output_bytes / Math.max(1, last_seq));
  return Math.min(shownEntries, Math.ceil((2 * shownCharacters) / average));
}

/** Returns the last entries that fit by length; always at least the very last one. */
function endOf(entries: readonly OutputEntry[]): readonly OutputEntry[] {
  let left = shownCharacters;
  const tooFar = entries.findLastIndex(({ text }) => {
    left -= text.length;
    return left < 0;
  });
  return entries.slice(Math.min(tooFar + 1, entries.length - 1));
}

/** Output of an attempt's agent. */
export default function JobRun() {
  const { output, talk } = useLoaderData<typeof loader>();
  const { revalidate } = useLive();
  const job = useJob();
  const open = job.questions.filter((question) => question.status === "open");
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="grid min-w-0 gap-5">
        {open.map((question) => (
          <QuestionCard key={question.id} question={question} />
        ))}
        <Section title="Output" about="What the agent says and does. Treat it as untrusted.">
          <OutputLog key={`${job.id}-${output.attempt}`} output={output} onChange={revalidate} />
        </Section>
        <JobTalk productId={job.product_id} messages={talk} isOpen={job.finished_at === null && job.idea_id === null} />
      </div>
      <div className="grid min-w-0 gap-5">
        <JobCard job={job} isHere asks={open.length > 0}>
          <TryIt job={job} />
        </JobCard>
        <Section title={`Attempts (${job.attempts.length})`}>
          <AttemptPicker job={job} shown={output.attempt} />
        </Section>
      </div>
    </div>
  );
}

function AttemptPicker({ job, shown }: { job: AgentJobDetail; shown: number | null }) {
  if (job.attempts.length === 0) {
    return <p className="text-sm text-muted">No worker has taken this job yet.</p>;
  }
  return (
    <ol className="grid gap-3">
      {job.attempts.map((attempt) => (
        <li key={attempt.attempt} className="grid gap-0.5 text-sm">
          <Link
            to={`?attempt=${attempt.attempt}`}
            aria-current={attempt.attempt === shown ? "page" : undefined}
            className="hover:underline aria-[current=page]:font-medium"
          >
            {attemptName(attempt)}
          </Link>
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
            <AgentName>{[attempt.agent, attempt.worker_name].filter(Boolean).join(" · ")}</AgentName>
            <Elapsed from={attempt.started_at} to={attempt.ended_at} />
            <ConfinementBadge confinement={attempt.confinement} />
          </span>
        </li>
      ))}
    </ol>
  );
}

type ShownMessage = JobMessage & { html: SafeHtml | null };

interface JobTalkProps {
  productId: string;
  messages: readonly ShownMessage[];
  /** Whether the job has an agent or will get one. */
  isOpen: boolean;
}

/** Messages to a job's agent with their delivery state, and a box for a new one while the agent works. */
function JobTalk({ productId, messages, isOpen }: JobTalkProps) {
  const isViewer = useIsViewer(productId);
  const canSend = isOpen && !isViewer;
  if (!canSend && messages.length === 0) return null;
  return (
    <Section title="Messages to the agent" id="messages">
      <div className="grid gap-4">
        {messages.length > 0 ? (
          <ol className="grid gap-3">
            {messages.map((message) => (
              <li key={message.id} className="grid gap-1">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
                  <strong className="font-semibold text-ink">{message.author}</strong>
                  <RelativeTime at={message.sent_at} />
                  <span>on {message.about}</span>
                  <MessageStateBadge message={message} />
                </p>
                {message.html ? <Prose content={message.html} /> : null}
              </li>
            ))}
          </ol>
        ) : null}
        {canSend ? <TalkBox productId={productId} /> : null}
      </div>
    </Section>
  );
}

function TalkBox({ productId }: { productId: string }) {
  const fetcher = useFetcher<ActionResult>({ key: "job-talk" });
  const withoutScript = useActionResult();
  const sent = useSent(fetcher);
  const form = useServerForm<"body">({ lastResult: fetcher.data ?? withoutScript, id: `job-talk-${sent}` });
  const { errors, defaultValue } = form.field("body");
  return (
    <ServerForm key={sent} form={form} fetcher={fetcher} creates className="grid gap-2">
      <WriteFields className="grid gap-2">
        <input type="hidden" name="intent" value="message" />
        <MentionArea label="Write to the agent" productId={productId} defaultValue={defaultValue} errors={errors} />
        <div className="flex flex-wrap items-center gap-3">
          <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Sending…">
            Send to the agent
          </SubmitButton>
          <span className="text-xs text-muted">
            Also a comment on the task. The agent reads it between two steps, or when its next turn begins.
          </span>
        </div>
      </WriteFields>
    </ServerForm>
  );
}
