import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { FailureLine } from "~/features/jobs/failure";
import { WriteForm } from "~/ui/action-form";
import { CodeChip } from "~/ui/badge";
import { Button, buttonClass } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { Menu, MenuButton } from "~/ui/menu";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import type { InboxItem } from "~/wire/inbox/contract";
import { pageOf } from "./row-text";

interface CardProps {
  item: Exclude<InboxItem, { kind: "question" }>;
  label: string;
  pill: ReactNode;
  /** Other than the item's page. */
  to?: string;
  about?: string;
  reason?: string | null;
  children: ReactNode;
}

/** Frame of all inbox cards except questions: what it is, where, since when, archive and snooze. */
export function Card({ item, label, pill, to = pageOf(item) ?? "", about, reason, children }: CardProps) {
  return (
    <article aria-label={label} className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
        {pill}
        <span>
          <bdi>{item.product_name}</bdi> · <RelativeTime at={item.at} />
          {item.later_until ? (
            <>
              {" "}
              · snoozed until <RelativeTime at={item.later_until} />
            </>
          ) : null}
        </span>
        <span className="-my-1 ml-auto">
          <PutAside item={item} />
        </span>
      </header>
      <div className="grid gap-1">
        <p className="flex flex-wrap items-baseline gap-x-2 text-base">
          <CodeChip>{item.code}</CodeChip>
          <Link to={to} className="min-w-0 font-medium hover:underline">
            {item.title || label}
          </Link>
        </p>
        {about ? <p className="text-sm text-muted">{about}</p> : null}
        {reason ? (
          <div className="border-l-2 border-failed pl-3 text-sm">
            <FailureLine reason={reason} />
          </div>
        ) : null}
      </div>
      <WriteFields quiet>{children}</WriteFields>
    </article>
  );
}

/** Archive and Snooze for one inbox item, or all of its product. Affects only this person; the items themselves do not change. */
export function PutAside({ item }: { item: InboxItem }) {
  return (
    <span className="flex items-start justify-end gap-1">
      <WriteForm action="/inbox" className="flex flex-wrap justify-end gap-1">
        <HiddenFields fields={{ intent: "mark", kind: item.kind, item_id: item.id }} />
        <TomorrowMorning />
        {(item.state === "open" ? openMarks : closedMarks).map(([value, label, about]) => (
          <Button
            key={value}
            type="submit"
            name="mark"
            value={value}
            size="sm"
            tone="quiet"
            title={about}
            className="pointer-coarse:h-10 pointer-coarse:px-3"
          >
            {label}
          </Button>
        ))}
      </WriteForm>
      {item.state === "open" ? (
        <Menu label="More" trigger="⋯" align="end" triggerClassName={buttonClass("quiet", "sm")}>
          <WriteForm action="/inbox" fields={{ intent: "archive-all", product_id: item.product_id }}>
            <MenuButton>{`Archive all of ${isolated(item.product_name)} but questions`}</MenuButton>
          </WriteForm>
        </Menu>
      ) : null}
    </span>
  );
}

const openMarks = [
  ["done", "Archive", "Archive for you only (e)"],
  ["later", "Snooze", "Snooze until tomorrow morning (h)"],
] as const;
const closedMarks = [["open", "Move to inbox", "Move back to your inbox"]] as const;

/** Only the browser knows the user's local morning. Without JavaScript the server's is used. */
function TomorrowMorning() {
  if (!useHydrated()) return null;
  const morning = new Date();
  morning.setDate(morning.getDate() + 1);
  morning.setHours(7, 0, 0, 0);
  return <input type="hidden" name="until" value={morning.toISOString()} />;
}
