import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { InboxTabs } from "~/features/inbox/inbox-tabs";
import { useInboxKeys } from "~/features/inbox/use-inbox-keys";
import { NewRowsBanner, useSteadyRows } from "~/features/items/lists/steady-rows";
import { done, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { type GetInboxInput, type InboxItem, markInboxItemInput } from "~/nouns/inbox/contract";
import { markInboxItem } from "~/nouns/inbox/mark-inbox-item.server";
import { getInbox } from "~/nouns/inbox/operations.server";
import { Kbd } from "~/ui/badge";
import { EmptyState } from "~/ui/empty-state";
import { enhancedField } from "~/ui/enhanced-field";
import { PageHeader } from "~/ui/rare/page-header";
import { questionIntents } from "../_app.questions/question-intents.server";
import { InboxCard } from "./inbox-card";

const filters = {
  all: {},
  reviews: { kinds: ["review"] },
  failures: { kinds: ["run", "job"] },
  mentions: { kinds: ["mention"] },
  later: { state: "later" },
  done: { state: "done" },
} as const satisfies Record<string, GetInboxInput>;
type Filter = keyof typeof filters;

const filterNames: readonly Filter[] = ["reviews", "failures", "mentions", "later", "done"];

export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  const wanted = new URL(request.url).searchParams.get("show");
  const show: Filter = filterNames.find((name) => name === wanted) ?? "all";
  return json({ show, ...(await getInbox(actor, filters[show])) });
});

const told = {
  done: "Archived",
  later: "Snoozed until tomorrow morning",
  open: "Moved to your inbox",
};

export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  const form = await request.formData();
  return runIntent(form, {
    ...questionIntents(actor, form, "/inbox"),
    mark: async () => {
      const input = readForm(form, markInboxItemInput);
      await markInboxItem(actor, input);
      const { mark, kind, id } = input;
      if (mark === "open" || !form.has(enhancedField)) return done(form, "/inbox", told[mark]);
      const fields = { intent: "mark", kind, id, mark: "open" };
      return json({ ok: true, message: told[mark], back: { action: "/inbox", fields } });
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Inbox · Backloom" }];

const empty: Record<Filter, readonly [title: string, text: string, keys?: string]> = {
  all: [
    "Your inbox is empty",
    "Questions from agents, work to review, failures, mentions and invitations appear here.",
    "Press g b to plan what comes next.",
  ],
  reviews: ["Nothing to review", "Tasks in review appear here."],
  failures: [
    "No failures",
    "Runs and jobs that failed in the last two weeks and were not retried appear here.",
  ],
  mentions: [
    "No mentions",
    "Comments that mention you with @ and your name appear here until you reply or archive them.",
  ],
  later: ["Nothing snoozed", "Snooze hides an item until tomorrow morning.", "Press h to snooze."],
  done: [
    "Nothing archived",
    "Items that you archive stay here while they are still open for others.",
  ],
};

/** The user's own actions here only remove items. */
const steady = { onlyOthersAdd: true };

const keyOf = (item: InboxItem) => `${item.kind} ${item.id}`;

export default function InboxPage() {
  const { show, items, counts, later } = useLoaderData<typeof loader>();
  useInboxKeys();
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title="Inbox" lead="Everything that needs you, across all products." />
      <InboxTabs current={show} counts={counts} later={later} />
      <Items key={show} show={show} items={items} />
    </div>
  );
}

function Items({ show, items }: { show: Filter; items: readonly InboxItem[] }) {
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
            <Kbd>j</Kbd> <Kbd>k</Kbd> to move, <Kbd>1</Kbd> to <Kbd>8</Kbd> to answer, <Kbd>e</Kbd>{" "}
            to archive, <Kbd>h</Kbd> to snooze.
          </p>
        </div>
      )}
    </div>
  );
}
