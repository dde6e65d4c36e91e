import { Link } from "@remix-run/react";
import clsx from "clsx";
import type { KeyboardEvent, ReactNode } from "react";
import type { AgentQuestion } from "~/contract/question";
import { ProductAccess } from "~/features/products/product-access";
import { ActionForm } from "~/ui/action-form";
import { Badge, CodeChip } from "~/ui/badge";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status-pill";
import { WriteFields } from "~/ui/write-access";

/** One question of an agent: what it is about, what to choose, and what happens without an answer. */
export function QuestionCard({
  question,
  action = "/questions",
  marked = false,
  aside,
}: {
  question: AgentQuestion;
  action?: string;
  /** The one that somebody was led to. */
  marked?: boolean;
  /** What a list of questions offers beside answering. */
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
          label={open ? "Needs an answer" : undefined}
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
      {open ? (
        <ProductAccess productId={question.product_id}>
          <AnswerForm question={question} action={action} />
        </ProductAccess>
      ) : (
        <Outcome question={question} />
      )}
    </article>
  );
}

/** The host that an answer counts for, whatever the agent's own words name. */
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

/** One tap on an option answers; free text answers with Ctrl+Enter. */
function AnswerForm({ question, action }: { question: AgentQuestion; action: string }) {
  return (
    <WriteFields className="grid gap-3">
      {question.reader_left ? <ReaderLeft name={question.reader_name} /> : null}
      {question.options.length > 0 && !question.reader_left ? (
        <Options question={question} action={action} />
      ) : null}
      {question.reader_left ||
      (question.kind === "permission" && question.options.length > 0) ? null : (
        <OwnWords question={question} action={action} />
      )}
      <div className="flex flex-wrap items-center justify-between gap-2 text-xs text-muted">
        <span>{consequence(question)}</span>
        <ActionForm action={action}>
          <input type="hidden" name="intent" value="cancel" />
          <Button
            type="submit"
            size="sm"
            tone="quiet"
            name="question_id"
            value={question.id}
            className="-mx-2"
          >
            Dismiss
          </Button>
        </ActionForm>
      </div>
    </WriteFields>
  );
}

function ReaderLeft({ name }: { name: string | null }) {
  return (
    <p className="text-sm">
      {`${name ?? "The person who could answer"} has left the product, so nobody can give this permission.`}{" "}
      Dismiss the question to let the job continue without it.
    </p>
  );
}

function Answered({ question }: { question: AgentQuestion }) {
  return <HiddenFields fields={{ intent: "answer", question_id: question.id }} />;
}

function Options({ question, action }: { question: AgentQuestion; action: string }) {
  return (
    <ActionForm action={action} className="grid gap-1.5" aria-label="Choose an answer">
      <Answered question={question} />
      {question.options.map((option, index) => (
        <button
          key={option.label}
          type="submit"
          name="option"
          value={index}
          className="flex items-start gap-2 rounded border border-line bg-raised px-3 py-2 text-start text-sm hover:border-accent disabled:opacity-55 pointer-coarse:py-3"
        >
          <span className="grid min-w-0 flex-1 gap-0.5">
            <span className="font-medium">{option.label}</span>
            {option.description ? <span className="text-muted">{option.description}</span> : null}
          </span>
          {question.recommended_option === index ? <Badge tone="accent">recommended</Badge> : null}
        </button>
      ))}
    </ActionForm>
  );
}

function OwnWords({ question, action }: { question: AgentQuestion; action: string }) {
  return (
    <ActionForm
      action={action}
      className="flex flex-wrap items-end gap-2"
      aria-label="Write an answer"
    >
      <Answered question={question} />
      <label className="grid min-w-48 flex-1 gap-1 text-xs text-muted">
        {question.options.length > 0 ? "Or write an answer" : "Your answer"}
        <textarea
          name="answer"
          required
          maxLength={4000}
          rows={1}
          onKeyDown={submitOnModifiedEnter}
          className="field-sizing-content min-h-9 w-full rounded border border-line-strong bg-raised px-2.5 py-1.5 text-sm text-ink"
        />
      </label>
      <Button type="submit" tone="primary" title="Ctrl+Enter">
        Answer
      </Button>
    </ActionForm>
  );
}

function consequence(question: AgentQuestion) {
  const meanwhile =
    question.on_expiry === "RECOMMENDED"
      ? "then the recommended option is used"
      : question.on_expiry === "ESCALATE"
        ? "then other members are asked"
        : "then the work stops";
  return (
    <>
      Expires <RelativeTime at={question.expires_at} />, {meanwhile}.
    </>
  );
}

function Outcome({ question }: { question: AgentQuestion }) {
  if (question.status === "answered") {
    return (
      <p className="border-l-2 border-done pl-3 text-sm">
        <span className="whitespace-pre-wrap">{question.answer}</span>
        <span className="block text-xs text-muted">
          {question.answered_by_name ?? "somebody"}
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

function submitOnModifiedEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
