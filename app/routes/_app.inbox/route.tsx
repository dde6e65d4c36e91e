import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { Actor } from "~/db/rpc.server";
import { useInboxKeys } from "~/features/inbox/use-inbox-keys";
import { NewRowsBanner, useSteadyRows } from "~/features/items/lists/steady-rows";
import { lessonIntents } from "~/features/lessons/lesson-forms.server";
import { done, readForm, runIntent, runOperation } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { getInbox, markInboxItem } from "~/nouns/inbox/operations.server";
import { invitationIdInput } from "~/nouns/products/invitation";
import { answerInvitation } from "~/nouns/products/invitations.server";
import { answerQuestion, cancelQuestion, listQuestions } from "~/nouns/questions/operations.server";
import { listReviews } from "~/nouns/reviews/operations.server";
import { useActionResult } from "~/ui/action-result";
import { CountBadge, Kbd } from "~/ui/badge";
import { EmptyState } from "~/ui/empty-state";
import { FormErrors } from "~/ui/field";
import { PageHeader } from "~/ui/page-header";
import { NavTabs } from "~/ui/tabs";
import { type Inbox, type InboxItem, inboxKinds, markInboxItemInput } from "~/wire/inbox/contract";
import { type Filter, filters, isFilter, questionStates } from "./filters";
import { InboxCard } from "./inbox-card";
import { Questions } from "./questions";
import { WaitingReviews } from "./waiting-reviews";

export const loader = personLoader(async ({ actor, request }) => {
  const address = new URL(request.url).searchParams;
  const wanted = address.get("show") ?? "";
  const show: Filter = isFilter(wanted) ? wanted : "all";
  const [inbox, questions, waiting] = await Promise.all([
    getInbox(actor, filters[show]),
    show === "questions" ? readQuestions(actor, address) : null,
    show === "reviews" ? listReviews(actor, { cursor: address.get("after") ?? undefined }) : null,
  ]);
  // An agent's work is listed in the order of the queue, above what people moved to review.
  const items = waiting
    ? inbox.items.filter((item) => !("job_id" in item && item.job_id))
    : await inQueueOrder(actor, inbox.items);
  return json({ show, ...inbox, items, asked: questions, waiting });
});

/** Work to review comes in the order in which to judge it, in each list. */
async function inQueueOrder(actor: Actor, items: readonly InboxItem[]): Promise<InboxItem[]> {
  const isReview = (item: InboxItem) => item.kind === "review" && item.job_id !== null;
  if (items.filter(isReview).length < 2) return [...items];
  const { reviews } = await listReviews(actor, { limit: 100 });
  const order = new Map(reviews.map(({ job_id }, index) => [job_id, index]));
  const indexOf = (item: InboxItem) => ("job_id" in item ? order.get(item.job_id ?? "") : undefined) ?? order.size;
  const ordered = items.filter(isReview).toSorted((one, other) => indexOf(one) - indexOf(other));
  return items.map((item) => (isReview(item) ? (ordered.shift() ?? item) : item));
}

async function readQuestions(actor: Actor, address: URLSearchParams) {
  const state = questionStates.find(([known]) => known === address.get("state"))?.[0] ?? "open";
  const cursor = address.get("after") ?? undefined;
  const page = await listQuestions(actor, { state, limit: 50, cursor });
  // Notices link to one question, which is listed first and highlighted.
  const wanted = address.get("question");
  const questions = page.questions.toSorted((one, other) => Number(other.id === wanted) - Number(one.id === wanted));
  return { ...page, questions, state, wanted };
}

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

const empty: Record<Exclude<Filter, "questions">, readonly [title: string, text: string, keys?: string]> = {
  all: [
    "Your inbox is empty",
    "Questions from agents, work to review, lessons, failures, mentions and invitations appear here.",
    "Press g b to plan what comes next.",
  ],
  reviews: ["Nothing to review", "Work that is done and waits for your verdict appears here."],
  failures: ["No failures", "Runs and jobs that failed in the last two weeks and were not retried appear here."],
  mentions: [
    "No mentions",
    "Comments that mention you with @ and your name appear here until you reply or archive them.",
  ],
  invitations: ["No invitations", "When the owner of a product invites you, you accept or decline here."],
  later: ["Nothing snoozed", "Snooze hides an item until tomorrow morning.", "Press h to snooze."],
  done: ["Nothing archived", "Items that you archive stay here while they are still open for others."],
};

/** The user's own actions here only remove items. */
const steady = { onlyOthersAdd: true };

const keyOf = (item: InboxItem) => `${item.kind} ${item.id}`;

export default function InboxPage() {
  const { show, items, counts, later, asked: questions, waiting } = useLoaderData<typeof loader>();
  const refusal = useActionResult<{ error?: string }>();
  useInboxKeys(show !== "questions");
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title="Inbox" lead="Everything that needs you, across all products." />
      <InboxTabs current={show} counts={counts} later={later} />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
      {questions ? <Questions {...questions} /> : null}
      {waiting?.reviews.length ? (
        <div className="mb-4">
          <WaitingReviews reviews={waiting.reviews} next={waiting.next_cursor} />
        </div>
      ) : null}
      {show === "questions" || (waiting?.reviews.length && items.length === 0) ? null : (
        <Items key={show} show={show} items={items} />
      )}
    </div>
  );
}

function Items({ show, items }: { show: keyof typeof empty; items: readonly InboxItem[] }) {
  const { list, shown, fresh, show: letIn } = useSteadyRows(items, keyOf, steady);
  const [title, text, keys] = empty[show];
  return (
    <div ref={list}>
      <NewRowsBanner count={fresh} show={letIn} />
      {items.length === 0 ? (
        <EmptyState title={title} keys={keys}>
          {text}
        </EmptyState>
      ) : (
        <div className="grid gap-4">
          {shown.map((item) => (
            <InboxCard key={keyOf(item)} item={item} />
          ))}
          <p className="hidden text-center text-xs text-muted keyboard:block">
            <Kbd>j</Kbd> <Kbd>k</Kbd> to move, <Kbd>1</Kbd> to <Kbd>8</Kbd> to answer, <Kbd>e</Kbd> to archive,{" "}
            <Kbd>h</Kbd> to snooze.
          </p>
        </div>
      )}
    </div>
  );
}

/** The inbox filters. */
function InboxTabs({ current, counts, later }: { current: Filter; counts: Inbox["counts"]; later: number }) {
  const open = (...kinds: readonly InboxItem["kind"][]) => kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
  const tabs: readonly [Filter, string, number][] = [
    ["all", "All", open(...inboxKinds)],
    ["questions", "Questions", open("question")],
    ["reviews", "Reviews", open("review")],
    ["failures", "Failures", open("run", "job")],
    ["mentions", "Mentions", open("mention")],
    ["invitations", "Invitations", open("invitation")],
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
