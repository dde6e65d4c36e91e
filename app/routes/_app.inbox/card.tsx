import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { PutAside } from "~/features/inbox/put-aside";
import { FailureLine } from "~/features/jobs/failure";
import type { InboxItem } from "~/nouns/inbox/contract";
import { CodeChip } from "~/ui/badge";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";

/** Frame of all inbox cards except questions: what it is, where, since when, archive and snooze. */
export function Card({
  item,
  label,
  pill,
  to,
  about,
  reason,
  children,
}: {
  item: Exclude<InboxItem, { kind: "question" }>;
  label: string;
  pill: ReactNode;
  to: string;
  about?: string;
  reason?: string | null;
  children: ReactNode;
}) {
  return (
    <article
      aria-label={label}
      data-waiting
      tabIndex={-1}
      className="grid gap-3 rounded-lg border border-line bg-surface p-4"
    >
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
          <Link to={to} data-row className="min-w-0 font-medium hover:underline">
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
