import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useInboxKeys } from "~/features/inbox/use-inbox-keys";
import { lessonIntents } from "~/features/lessons/lesson-forms.server";
import { done, readForm, runIntent, runOperation } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { archiveInbox, getInbox, markInboxItem } from "~/nouns/inbox/operations.server";
import { invitationIdInput } from "~/nouns/products/invitation";
import { answerInvitation } from "~/nouns/products/invitations.server";
import { answerQuestion, cancelQuestion } from "~/nouns/questions/operations.server";
import { useActionResult } from "~/ui/action-result";
import { CountBadge } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { FormErrors } from "~/ui/field";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { FilterLinks, NavTabs } from "~/ui/tabs";
import { archiveInboxInput, type Inbox, type InboxItem, markInboxItemInput } from "~/wire/inbox/contract";
import type { AgentQuestion } from "~/wire/questions/contract";
import { type Filter, filters, isFilter, questionStates } from "./filters";
import { Rows } from "./rows";

export const loader = personLoader(async ({ actor, request }) => {
  const address = new URL(request.url).searchParams;
  const wanted = address.get("show") ?? "";
  const show: Filter = isFilter(wanted) ? wanted : "all";
  const state = questionStates.find(([known]) => known === address.get("state"))?.[0] ?? "open";
  const asked = show === "questions" ? { asked: state, cursor: address.get("after") ?? undefined } : {};
  const inbox = await getInbox(actor, { ...filters[show], ...asked });
  // Notices link to one question.
  const opened = address.get("item") ?? address.get("question");
  const items = inbox.asked ? inbox.asked.questions.filter(isQuestion(opened)).map(asItem) : inbox.items;
  return json({ ...inbox, show, state, opened, items, next: inbox.asked?.next_cursor ?? null, asked: undefined });
});

/** What stopped work while it is open is a failure, unless a notice leads to it. */
const isQuestion =
  (opened: string | null) =>
  ({ id, asks, status }: AgentQuestion) =>
    id === opened || status !== "open" || !["conflict", "pause", "failure"].includes(asks);

/** A question of any state, also of products that the user only reads. */
const asItem = (question: AgentQuestion): InboxItem => ({
  kind: "question",
  id: question.id,
  product_id: question.product_id,
  product_name: question.product_name,
  at: question.created_at,
  state: "open",
  later_until: null,
  question,
  criteria: [],
});

const marked = { done: "Archived", later: "Snoozed until tomorrow morning", open: "Moved to your inbox" };

export const action = writeAction(async ({ actor, form, request }) => {
  const { pathname, search } = new URL(request.url);
  const back = pathname + search;
  const answerInvited = (accept: boolean) => answerInvitation(actor, { ...readForm(form, invitationIdInput), accept });
  return runIntent(form, {
    ...lessonIntents(actor, form, back),
    answer: () => runOperation(actor, form, answerQuestion, back, "Answered"),
    cancel: () => runOperation(actor, form, cancelQuestion, back, "Dismissed"),
    accept: async () => {
      const { product_id } = await answerInvited(true);
      return redirect(`/products/${product_id}/backlog`, 303);
    },
    decline: async () => {
      await answerInvited(false);
      return done(form, back, "Invitation declined");
    },
    "archive-all": async () => {
      const input = readForm(form, archiveInboxInput);
      const { count, marked_at } = await archiveInbox(actor, input);
      if (input.undo) return done(form, "/inbox", marked.open);
      const fields = { intent: "archive-all", product_id: input.product_id, undo: marked_at };
      return done(form, "/inbox", `Archived ${countText(count, "item")}`, { back: { action: "/inbox", fields } });
    },
    mark: async () => {
      const input = readForm(form, markInboxItemInput);
      await markInboxItem(actor, input);
      const { mark, kind, item_id } = input;
      if (mark === "open") return done(form, "/inbox", marked[mark]);
      const fields = { intent: "mark", kind, item_id, mark: "open" };
      return done(form, "/inbox", marked[mark], { back: { action: "/inbox", fields } });
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Inbox · Backloom" }];

const stateLinks = questionStates.map(([value, label]) => [value, label, `?show=questions&state=${value}`] as const);

const noneClosed = ["No questions", "Closed questions appear here.", undefined] as const;
const empty: Record<Filter, readonly [title: string, text: string, keys?: string]> = {
  all: [
    "Your inbox is empty",
    "Questions from agents, work to review, lessons, failures, mentions and invitations appear here.",
    "Press g b to plan what comes next.",
  ],
  questions: ["No open questions", "When an agent needs a decision, it asks here and the bell turns amber."],
  reviews: ["Nothing to review", "Work that is done and waits for your verdict appears here."],
  failures: [
    "No failures",
    "Conflicts, paused runs, and runs and jobs that failed in the last two weeks and were not retried appear here.",
  ],
  mentions: [
    "No mentions",
    "Comments that mention you with @ and your name appear here until you reply or archive them.",
  ],
  invitations: ["Nothing else", "Invitations, products you were added to, stories in triage and lessons appear here."],
  later: ["Nothing snoozed", "Snooze hides an item until tomorrow morning.", "Press h to snooze."],
  done: ["Nothing archived", "Items that you archive stay here while they are still open for others."],
};

export default function InboxPage() {
  const { show, state, items, opened, next, ...inbox } = useLoaderData<typeof loader>();
  const refusal = useActionResult<{ error?: string }>();
  const canPutAside = show !== "questions";
  useInboxKeys(canPutAside);
  const [title, text, keys] = show === "questions" && state !== "open" ? noneClosed : empty[show];
  return (
    <div className="mx-auto max-w-6xl">
      <PageHeader title="Inbox" lead="Everything that needs you, across all products." />
      <InboxTabs current={show} {...inbox} />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
      {show === "questions" ? (
        <div className="mb-4">
          <FilterLinks label="Questions by state" current={state} links={stateLinks} />
        </div>
      ) : null}
      {items.length === 0 ? (
        <EmptyState title={title} keys={keys}>
          {text}
        </EmptyState>
      ) : null}
      <Rows key={`${show} ${state}`} items={items} opened={opened} canPutAside={canPutAside} />
      {next ? (
        <p className="mt-4 text-center">
          <ButtonLink to={`?show=questions&state=${state}&after=${next}`}>More</ButtonLink>
        </p>
      ) : null}
    </div>
  );
}

function InboxTabs({
  current,
  counts,
  stopped,
  later,
}: { current: Filter } & Pick<Inbox, "counts" | "stopped" | "later">) {
  const open = (...kinds: readonly InboxItem["kind"][]) => kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
  const tabs: readonly [Filter, string, number][] = [
    ["all", "All", Object.values(counts).reduce((sum, count) => sum + count, 0)],
    ["questions", "Questions", open("question") - stopped],
    ["reviews", "Reviews", open("review")],
    ["failures", "Failures", open("run", "job") + stopped],
    ["mentions", "Mentions", open("mention")],
    ["invitations", "Other", open("invitation", "added", "triage", "lesson")],
    ["later", "Snoozed", later],
    ["done", "Archived", 0],
  ];
  return (
    <NavTabs
      label="Inbox"
      tabs={tabs.map(([tab, label, count]) => ({
        to: tab === "all" ? "/inbox" : `/inbox?show=${tab}`,
        label,
        current: tab === current,
        count: (
          <CountBadge
            count={count}
            meaning={tab === "later" ? "snoozed" : "open"}
            tone={tab === "later" ? "plain" : "waiting"}
          />
        ),
      }))}
    />
  );
}
