import { QuestionCard } from "~/features/questions/question-card";
import { Kbd } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { FilterLinks } from "~/ui/tabs";
import type { AgentQuestion } from "~/wire/questions/contract";
import { questionStates } from "./filters";

const states = questionStates.map(([value, label]) => [value, label, `?show=questions&state=${value}`] as const);

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
      <div className="mb-4">
        <FilterLinks label="Questions by state" current={state} links={states} />
      </div>
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
