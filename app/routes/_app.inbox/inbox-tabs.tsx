import { type Inbox, type InboxItem, inboxKinds } from "~/nouns/inbox/contract";
import { CountBadge } from "~/ui/badge";
import { NavTabs } from "~/ui/tabs";
import type { Filter } from "./filters";

/** The inbox filters. */
export function InboxTabs({
  current,
  counts,
  later,
}: {
  current: Filter;
  counts: Inbox["counts"];
  later: number;
}) {
  const open = (...kinds: readonly InboxItem["kind"][]) =>
    kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
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
