import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { ActionForm } from "~/ui/action-form";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { FormDraft } from "~/ui/forms/server-form";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import type { AgentQuestion } from "~/wire/questions/contract";
import { holdMs, keyOfAnswer, takeBack, useHeldAnswers, useHoldAnswer } from "./held-answers";

/** One click on an option answers; Ctrl+Enter sends free text. Both are held for a moment before they are sent. */
export function AnswerForm({ question, action }: { question: AgentQuestion; action: string }) {
  const held = useHeldAnswers().get(question.id);
  const hold = useHoldAnswer(question.id, action);
  const onAnswer = (event: FormEvent<HTMLFormElement>) =>
    hold(event, (form) => {
      const option = question.options[Number(form.get("option") ?? Number.NaN)];
      return option?.label ?? String(form.get("answer") ?? "");
    });
  if (held) return <HeldAnswer question={question} {...held} />;
  return (
    <WriteFields className="grid gap-3">
      {question.reader_left ? <ReaderLeft name={question.reader_name} /> : null}
      {question.options.length > 0 && !question.reader_left ? (
        <Options question={question} action={action} onSubmit={onAnswer} />
      ) : null}
      {question.reader_left ||
      question.needs_option ||
      (question.kind === "permission" && question.options.length > 0) ? null : (
        <OwnAnswer question={question} action={action} onSubmit={onAnswer} />
      )}
      <div className="flex flex-wrap items-center justify-between gap-2 text-xs text-muted">
        <span>{consequence(question)}</span>
        {question.needs_option ? null : (
          <ActionForm
            action={action}
            onSubmit={(event) => hold(event, () => "Dismissed")}
            fields={{ intent: "cancel" }}
          >
            <Button type="submit" size="sm" tone="quiet" name="question_id" value={question.id} className="-mx-2">
              Dismiss
            </Button>
          </ActionForm>
        )}
      </div>
    </WriteFields>
  );
}

type HeldAnswerProps = { question: AgentQuestion; text: string; timer: number | null; send: () => void };

/** The held answer, which can be undone until the agent gets it. */
function HeldAnswer({ question: { id, needs_option }, text, timer, send }: HeldAnswerProps) {
  const undo = useRef<HTMLButtonElement>(null);
  // The clicked button is gone, so focus moves here.
  useEffect(() => {
    if (document.activeElement === document.body) undo.current?.focus();
  }, []);
  const isHeld = timer !== null;
  return (
    <div className="grid gap-2 border-l-2 border-accent pl-3">
      <p role="status" className="text-sm whitespace-pre-wrap">
        {text}
        <span className="block text-xs text-muted">
          {isHeld
            ? `${needs_option ? "This happens" : "The agent gets this"} in ${holdMs / 1000} seconds.`
            : "Sending…"}
        </span>
      </p>
      <p className="flex gap-2">
        <Button
          ref={undo}
          size="sm"
          disabled={!isHeld}
          title="Undo (Ctrl+Z)"
          onClick={(event) => {
            event.currentTarget.closest("article")?.focus();
            takeBack(id);
          }}
        >
          Undo
        </Button>
        <Button size="sm" tone="quiet" disabled={!isHeld} onClick={send}>
          Send now
        </Button>
      </p>
    </div>
  );
}

function ReaderLeft({ name }: { name: string | null }) {
  return (
    <p className="text-sm">
      {`${name ?? "The person who could answer"} has left the product, so no one can give this permission.`} Dismiss the
      question to let the job continue without it.
    </p>
  );
}

function Answered({ question }: { question: AgentQuestion }) {
  return <HiddenFields fields={{ intent: "answer", question_id: question.id }} />;
}

type AnswerProps = { question: AgentQuestion; action: string; onSubmit: (event: FormEvent<HTMLFormElement>) => void };

function Options({ question, action, onSubmit }: AnswerProps) {
  return (
    <ActionForm action={action} onSubmit={onSubmit} className="grid gap-1.5" aria-label="Choose an answer">
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

function OwnAnswer({ question, action, onSubmit }: AnswerProps) {
  return (
    <ActionForm
      action={action}
      onSubmit={onSubmit}
      className="flex flex-wrap items-end gap-2"
      aria-label="Write an answer"
    >
      <Answered question={question} />
      <FormDraft name={keyOfAnswer(question.id)} answer={undefined} fills />
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
  if (question.needs_option) return "The run is paused until then.";
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

function submitOnModifiedEnter(event: KeyboardEvent<HTMLTextAreaElement>) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
