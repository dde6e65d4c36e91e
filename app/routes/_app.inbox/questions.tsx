import { Link } from "@remix-run/react";
import { QuestionCard } from "~/features/questions/question-card";
import type { AgentQuestion } from "~/nouns/questions/contract";
import { Kbd } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { questionStates } from "./filters";

/** Questions of agents, also those that were answered or that expired. */
export function Questions({
  state,
  wanted,
  questions,
  next_cursor,
}: {
  state: string;
  /** The question a notice led to. */
  wanted: string | null;
  questions: readonly AgentQuestion[];
  next_cursor: string | null;
}) {
  return (
    <>
      <StateFilter state={state} />
      {questions.length === 0 ? (
        <EmptyState title={state === "open" ? "No open questions" : "No questions"}>
          {state === "open"
            ? "When an agent needs a decision, it asks here and the bell turns amber."
            : "Closed questions appear here."}
        </EmptyState>
      ) : (
        <div className="grid gap-4">
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} marked={question.id === wanted} />
          ))}
          {state === "open" ? (
            <p className="hidden text-center text-xs text-muted keyboard:block">
              <Kbd>j</Kbd> <Kbd>k</Kbd> to move, <Kbd>1</Kbd> to <Kbd>8</Kbd> to answer.
            </p>
          ) : null}
        </div>
      )}
      {next_cursor ? (
        <p className="mt-4 text-center">
          <ButtonLink to={`?show=questions&state=${state}&after=${next_cursor}`}>More</ButtonLink>
        </p>
      ) : null}
    </>
  );
}

function StateFilter({ state }: { state: string }) {
  return (
    <nav aria-label="Questions by state" className="mb-4 flex flex-wrap gap-1">
      {questionStates.map(([value, label]) => (
        <Link
          key={value}
          to={`?show=questions&state=${value}`}
          aria-current={state === value ? "page" : undefined}
          className="rounded px-2 py-1 text-xs text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:font-semibold aria-[current=page]:text-ink pointer-coarse:px-3 pointer-coarse:py-2.5"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
