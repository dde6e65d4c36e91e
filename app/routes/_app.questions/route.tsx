import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { InboxTabs } from "~/features/inbox/inbox-tabs";
import { useQuestionKeys } from "~/features/inbox/use-inbox-keys";
import { QuestionCard } from "~/features/questions/question-card";
import { runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { getInbox } from "~/nouns/inbox/operations.server";
import { listQuestions } from "~/nouns/questions/operations.server";
import { useActionResult } from "~/ui/action-result";
import { Kbd } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { FormErrors } from "~/ui/field";
import { PageHeader } from "~/ui/rare/page-header";
import { questionIntents } from "./question-intents.server";

const states = [
  ["open", "Open"],
  ["answered", "Answered"],
  ["expired", "Expired"],
  ["cancelled", "Closed"],
] as const;

export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  const address = new URL(request.url).searchParams;
  const state = states.find(([known]) => known === address.get("state"))?.[0] ?? "open";
  const [page, { counts, later }] = await Promise.all([
    listQuestions(actor, { state, limit: 50, cursor: address.get("after") ?? undefined }),
    // Only for the counts on the tabs.
    getInbox(actor, { kinds: [] }),
  ]);
  // Notices link to one question, which is listed first and highlighted.
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
  const refusal = useActionResult<{ error?: string }>();
  useQuestionKeys();
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title="Questions" lead="Questions from your agents, across all products." />
      <InboxTabs current="questions" counts={counts} later={later} />
      <StateTabs state={state} />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
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
          <ButtonLink to={`?state=${state}&after=${next_cursor}`}>More</ButtonLink>
        </p>
      ) : null}
    </div>
  );
}

/** Past questions stay listed: answered ones, and those that expired. */
function StateTabs({ state }: { state: string }) {
  return (
    <nav aria-label="Questions by state" className="mb-4 flex flex-wrap gap-1">
      {states.map(([value, label]) => (
        <Link
          key={value}
          to={value === "open" ? "." : `?state=${value}`}
          aria-current={state === value ? "page" : undefined}
          className="rounded px-2 py-1 text-xs text-muted hover:bg-sunken hover:text-ink aria-[current=page]:bg-sunken aria-[current=page]:font-semibold aria-[current=page]:text-ink pointer-coarse:px-3 pointer-coarse:py-2.5"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
