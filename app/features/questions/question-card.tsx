import { Link } from "@remix-run/react";
import clsx from "clsx";
import type { ReactNode } from "react";
import { ProductAccess } from "~/features/products/product-access";
import { ActionForm } from "~/ui/action-form";
import { Badge, CodeChip } from "~/ui/badge";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { HiddenFields, TextAreaField } from "~/ui/field";
import { countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";
import { lengths } from "~/wire/limits";
import type { AgentQuestion } from "~/wire/questions/contract";
import { AnswerForm } from "./answer-form";

interface QuestionCardProps {
  question: AgentQuestion;
  action?: string;
  /** What the work of a plan is to meet. */
  criteria?: readonly string[];
  /** Extra actions from the list that shows it. */
  aside?: ReactNode;
}

/** One question of an agent: its subject, its options, and what happens without an answer. */
export function QuestionCard({ question, action = "/inbox?show=questions", criteria = [], aside }: QuestionCardProps) {
  const open = question.status === "open";
  return (
    <article
      tabIndex={-1}
      aria-label={`Question about ${question.story_code ?? question.idea_code ?? "an idea"}`}
      className={clsx(
        "grid gap-3 rounded-lg border bg-surface p-4 target:outline-2 target:outline-accent",
        open ? "border-waiting" : "border-line",
      )}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        <StatusPill status={open ? "WAITING" : question.status} label={open ? openLabels[question.asks] : undefined} />
        <span>
          <bdi>{question.product_name}</bdi> · asked{" "}
          {question.asked_by_name ? `by ${question.asked_by_name}’s agent ` : "by Backloom "}
          <RelativeTime at={question.created_at} />
        </span>
        {question.kind === "permission" && open && !question.reader_left ? <Badge>only you can answer</Badge> : null}
        {question.park && open ? <Badge tone="waiting">job paused</Badge> : null}
        {aside ? <span className="-my-1 ml-auto">{aside}</span> : null}
      </header>
      <About question={question} />
      {question.reach === null ? null : <ReachedHost host={question.reach} />}
      <p className="text-base whitespace-pre-wrap">{question.question}</p>
      {question.plan === null ? null : <PlanText plan={question.plan} />}
      {criteria.length === 0 ? null : <Criteria criteria={criteria} />}
      {open ? <WaysToLook question={question} /> : null}
      {open ? (
        <ProductAccess productId={question.product_id}>
          {question.plan === null ? (
            <AnswerForm question={question} action={action} />
          ) : (
            <PlanForm question={question} />
          )}
        </ProductAccess>
      ) : (
        <Outcome question={question} />
      )}
    </article>
  );
}

const openLabels: Record<AgentQuestion["asks"], string> = {
  question: "Needs an answer",
  permission: "Needs an answer",
  plan: "Plan to approve",
  conflict: "Conflict",
  pause: "Run paused",
  failure: "Failed",
};

/** The host the answer applies to, no matter what the agent's text says. */
function ReachedHost({ host }: { host: string }) {
  return (
    <p className="grid gap-0.5">
      <span className="text-xs text-muted">Network access to</span>
      <strong className="font-mono text-xl wrap-anywhere">{host}</strong>
    </p>
  );
}

function About({ question }: { question: AgentQuestion }) {
  const { task_id, task_code, task_title, story_id, story_code, story_title, idea_id, idea_code } = question;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
      <Subject to={`/tasks/${task_id}`} code={task_code} title={task_title} />
      <Subject to={`/stories/${story_id}`} code={story_code} title={story_title} />
      <Subject to={`/ideas/${idea_id}`} code={idea_code} title={null} />
    </p>
  );
}

function Subject({ to, code, title }: { to: string; code: string | null; title: string | null }) {
  if (!code) return null;
  return (
    <Link to={to} className="min-w-0 hover:underline">
      <CodeChip>{code}</CodeChip> <bdi>{title}</bdi>
    </Link>
  );
}

function Outcome({ question }: { question: AgentQuestion }) {
  if (question.status === "answered") {
    return (
      <p className="border-l-2 border-done pl-3 text-sm">
        <span className="whitespace-pre-wrap">{question.answer}</span>
        <span className="block text-xs text-muted">
          {question.answered_by_name ?? "someone"}
          {question.answered_at ? (
            <>
              {" "}
              <RelativeTime at={question.answered_at} />
            </>
          ) : null}
        </span>
      </p>
    );
  }
  if (question.taken_by_policy) {
    return <p className="text-sm">No answer in time. The recommended option was used: {question.effective_answer}</p>;
  }
  return (
    <p className="text-sm text-muted">
      {question.status === "expired" ? "No answer in time. The work stopped." : "Dismissed without an answer."}
    </p>
  );
}

/** The plan, word for word: what is approved is what agents get. */
function PlanText({ plan }: { plan: string }) {
  return (
    <pre className="max-h-96 overflow-auto rounded border border-line bg-raised p-3 text-sm break-words whitespace-pre-wrap">
      {plan}
    </pre>
  );
}

/** Where to look before deciding about work that stopped, and the line that takes it over. */
function WaysToLook({ question: { asks, job_id, task_code, product_id, sprint_run_id } }: { question: AgentQuestion }) {
  if (asks !== "conflict" && asks !== "pause" && asks !== "failure") return null;
  return (
    <p className="flex flex-wrap items-center gap-2">
      {job_id && asks === "failure" ? (
        <ButtonLink to={`/jobs/${job_id}`} size="sm">
          Open output
        </ButtonLink>
      ) : null}
      {sprint_run_id ? (
        <ButtonLink to={`/products/${product_id}/runs/${sprint_run_id}`} size="sm">
          Open run
        </ButtonLink>
      ) : null}
      {task_code && asks !== "pause" ? (
        <CopyButton
          text={`node ~/backloom-worker.mjs take ${task_code}`}
          label="Copy the line that takes it over"
          tone="quiet"
        />
      ) : null}
    </p>
  );
}

function Criteria({ criteria }: { criteria: readonly string[] }) {
  return (
    <details>
      <summary className="cursor-pointer text-sm">
        {countText(criteria.length, "acceptance criterion", "acceptance criteria")}
      </summary>
      <ul className="mt-1 grid list-disc gap-1 pl-5 text-sm">
        {criteria.map((criterion) => (
          <li key={criterion}>{criterion}</li>
        ))}
      </ul>
    </details>
  );
}

/** Approves a plan that waits, as it is or edited, or sends it back with comments. */
function PlanForm({ question: { id, job_id, plan } }: { question: AgentQuestion }) {
  const action = `/jobs/${job_id}?index`;
  const verdict = (value: string) => <HiddenFields fields={{ intent: "judge-plan", verdict: value }} />;
  return (
    <WriteFields className="grid gap-3">
      <ActionForm action={action} aria-label="Approve the plan">
        {verdict("approve")}
        <SubmitButton pendingLabel="Approving…">Approve</SubmitButton>
      </ActionForm>
      <details>
        <summary className="cursor-pointer text-sm">Send back</summary>
        <ActionForm action={action} className="mt-2 grid gap-2" aria-label="Send the plan back">
          {verdict("request_changes")}
          <TextAreaField
            id={`remarks-${id}`}
            name="summary"
            label="What should change"
            description="The agent reads this in the same conversation and plans again."
            required
            maxLength={3_000}
          />
          <SubmitButton className="justify-self-start" tone="plain" pendingLabel="Sending…">
            Send back
          </SubmitButton>
        </ActionForm>
      </details>
      <details>
        <summary className="cursor-pointer text-sm">Edit and approve</summary>
        <ActionForm action={action} className="mt-2 grid gap-2" aria-label="Edit the plan">
          {verdict("approve")}
          <TextAreaField
            id={`plan-${id}`}
            name="plan"
            label="Plan"
            mono
            required
            maxLength={lengths.text}
            defaultValue={plan ?? ""}
          />
          <SubmitButton className="justify-self-start" tone="plain" pendingLabel="Approving…">
            Approve as edited
          </SubmitButton>
        </ActionForm>
      </details>
    </WriteFields>
  );
}
