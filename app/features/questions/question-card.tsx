import { Link } from "@remix-run/react";
import clsx from "clsx";
import type { ReactNode } from "react";
import { ProductAccess } from "~/features/products/product-access";
import type { AgentQuestion } from "~/nouns/questions/contract";
import { Badge, CodeChip } from "~/ui/badge";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";
import { AnswerForm } from "./answer-form";
import { PlanForm, PlanText } from "./plan-form";

/** One question of an agent: its subject, its options, and what happens without an answer. */
export function QuestionCard({
  question,
  action = "/inbox?show=questions",
  marked = false,
  aside,
}: {
  question: AgentQuestion;
  action?: string;
  /** The question the link led to. */
  marked?: boolean;
  /** Extra actions from the list that shows it. */
  aside?: ReactNode;
}) {
  const open = question.status === "open";
  return (
    <article
      id={`question-${question.id}`}
      data-waiting
      tabIndex={-1}
      aria-label={`Question about ${question.story_code ?? question.idea_code ?? "an idea"}`}
      className={clsx(
        "grid gap-3 rounded-lg border bg-surface p-4 target:outline-2 target:outline-accent",
        open ? "border-waiting" : "border-line",
        marked && "outline-2 outline-accent",
      )}
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        <StatusPill
          status={open ? "WAITING" : question.status}
          label={open ? (question.plan ? "Plan to approve" : "Needs an answer") : undefined}
        />
        <About question={question} />
        <span>
          asked {question.asked_by_name ? `by ${question.asked_by_name}’s agent ` : ""}
          <RelativeTime at={question.created_at} />
        </span>
        {question.kind === "permission" && open && !question.reader_left ? (
          <Badge>only you can answer</Badge>
        ) : null}
        {question.park && open ? <Badge tone="waiting">job paused</Badge> : null}
        {aside ? <span className="-my-1 ml-auto">{aside}</span> : null}
      </header>
      {question.reach === null ? null : <Reach host={question.reach} />}
      <p className="text-base whitespace-pre-wrap">{question.question}</p>
      {question.plan === null ? null : <PlanText plan={question.plan} />}
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

/** The host the answer applies to, whatever the agent's text says. */
function Reach({ host }: { host: string }) {
  return (
    <p className="grid gap-0.5">
      <span className="text-xs text-muted">Network access to</span>
      <strong className="font-mono text-xl break-all">{host}</strong>
    </p>
  );
}

function About({ question }: { question: AgentQuestion }) {
  const { task_id, task_code, story_id, story_code, idea_id, idea_code } = question;
  return (
    <span className="flex items-center gap-1.5">
      {question.product_name}
      {task_id && task_code ? (
        <Link to={`/tasks/${task_id}`} className="hover:underline">
          <CodeChip>{task_code}</CodeChip>
        </Link>
      ) : null}
      {story_id && story_code ? (
        <Link to={`/stories/${story_id}`} className="hover:underline">
          <CodeChip>{story_code}</CodeChip>
        </Link>
      ) : null}
      {idea_id && idea_code ? (
        <Link to={`/ideas/${idea_id}`} className="hover:underline">
          <CodeChip>{idea_code}</CodeChip>
        </Link>
      ) : null}
    </span>
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
    return (
      <p className="text-sm">
        No answer in time. The recommended option was used: {question.effective_answer}
      </p>
    );
  }
  return (
    <p className="text-sm text-muted">
      {question.status === "expired"
        ? "No answer in time. The work stopped."
        : "Dismissed without an answer."}
    </p>
  );
}
