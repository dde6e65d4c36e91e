import { Link } from "@remix-run/react";
import type { Inbox } from "~/nouns/inbox/contract";
import { CountBadge } from "~/ui/badge";

type Tab = "all" | "questions" | "reviews" | "failures" | "mentions" | "later" | "done";

/** The inbox filters. Questions link to their own page, which also shows answered ones. */
export function InboxTabs({
  current,
  counts,
  later,
}: {
  current: Tab;
  counts: Inbox["counts"];
  later: number;
}) {
  const {
    question = 0,
    review = 0,
    run = 0,
    job = 0,
    added = 0,
    mention = 0,
    triage = 0,
    invitation = 0,
  } = counts;
  const tabs: readonly [Tab, string, string, number][] = [
    ["all", "/inbox", "All", question + review + run + job + added + mention + triage + invitation],
    ["questions", "/questions", "Questions", question],
    ["reviews", "/inbox?show=reviews", "Reviews", review],
    ["failures", "/inbox?show=failures", "Failures", run + job],
    ["mentions", "/inbox?show=mentions", "Mentions", mention],
    ["later", "/inbox?show=later", "Snoozed", later],
    ["done", "/inbox?show=done", "Archived", 0],
  ];
  return (
    <nav
      aria-label="Inbox"
      className="mb-5 flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none] max-lg:-mx-4 max-lg:px-4"
    >
      {tabs.map(([tab, to, label, count]) => (
        <Link key={tab} to={to} aria-current={current === tab ? "page" : undefined} className="tab">
          {label}
          <CountBadge
            count={count}
            meaning={tab === "later" ? "snoozed" : "open"}
            tone={tab === "later" ? "plain" : "waiting"}
          />
        </Link>
      ))}
    </nav>
  );
}
