import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Kbd } from "~/components/badge";
import { ButtonLink } from "~/components/button";
import { EmptyState } from "~/components/empty-state";
import { FormErrors } from "~/components/field";
import { InboxTabs } from "~/components/inbox/inbox-tabs";
import { useQuestionKeys } from "~/components/inbox/use-inbox-keys";
import { PageHeader } from "~/components/page-header";
import { QuestionCard } from "~/components/questions/question-card";
import { useAnswer } from "~/components/use-answer";
import type { AgentQuestionStatus } from "~/contract/question";
import { getInbox } from "~/domain/inbox/operations.server";
import { listQuestions } from "~/domain/questions/operations.server";
import { runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { questionIntents } from "./question-intents.server";
import { StateTabs } from "./state-tabs";

export { shouldRevalidate } from "~/live/unreachable";

const states: readonly AgentQuestionStatus[] = ["open", "answered", "expired", "cancelled"];

export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  const address = new URL(request.url).searchParams;
  const state = states.find((known) => known === address.get("state")) ?? "open";
  const [page, { counts, later }] = await Promise.all([
    listQuestions(actor, { state, limit: 50, cursor: address.get("after") ?? undefined }),
    // Only the numbers of the tabs.
    getInbox(actor, { kinds: [] }),
  ]);
  // A notice leads to one question: it comes first and stands out.
  const wanted = address.get("question");
  const questions = page.questions.toSorted(
    (one, other) => Number(other.id === wanted) - Number(one.id === wanted),
  );
  return json({ state, wanted, ...page, questions, counts, later });
});

export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  const form = await request.formData();
  return runIntent(form, questionIntents(actor, form, "/questions"));
});

export const meta: MetaFunction = () => [{ title: "Questions · Backloom" }];

export default function QuestionsPage() {
  const { state, wanted, questions, next_cursor, counts, later } = useLoaderData<typeof loader>();
  const refusal = useAnswer<{ error?: string }>();
  useQuestionKeys();
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title="Questions" lead="What your agents need to know, over all products." />
      <InboxTabs current="questions" counts={counts} later={later} />
      <StateTabs state={state} />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
      {questions.length === 0 ? (
        <EmptyState title={state === "open" ? "Nobody waits for you" : "None here"}>
          {state === "open"
            ? "When an agent cannot decide something, it asks here, and the bell turns amber."
            : "Questions appear here once they are closed."}
        </EmptyState>
      ) : (
        <div className="grid gap-4">
          {questions.map((question) => (
            <QuestionCard key={question.id} question={question} marked={question.id === wanted} />
          ))}
          {state === "open" ? (
            <p className="hidden text-center text-xs text-muted keyboard:block">
              <Kbd>j</Kbd> <Kbd>k</Kbd> walk through the questions, <Kbd>1</Kbd> to <Kbd>8</Kbd>{" "}
              choose an answer.
            </p>
          ) : null}
        </div>
      )}
      {next_cursor ? (
        <p className="mt-4 text-center">
          <ButtonLink to={`?state=${state}&after=${next_cursor}`}>More</ButtonLink>
        </p>
      ) : null}
    </div>
  );
}
