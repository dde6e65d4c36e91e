import clsx from "clsx";
import type { ReactNode } from "react";
import { LiveText } from "./live-text";

type BadgeTone = "plain" | "accent" | "waiting" | "failed";

const tones: Record<BadgeTone, string> = {
  plain: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  waiting: "bg-waiting-soft text-waiting",
  failed: "bg-failed-soft text-failed",
};

export function Badge({ tone = "plain", children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span
      className={clsx(
        "inline-flex h-5 items-center gap-1 whitespace-nowrap rounded-sm px-1.5 text-2xs font-semibold",
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

/** A count next to a word; hidden if 0. Screen readers read `meaning` after the number. */
export function CountBadge({ count, meaning, tone = "waiting" }: { count: number; meaning: string; tone?: BadgeTone }) {
  if (count < 1) return null;
  return (
    <Badge tone={tone}>
      <LiveText>{count > 99 ? "99+" : count}</LiveText>
      <span className="sr-only"> {meaning}</span>
    </Badge>
  );
}

/** The code of an item, in monospace. */
export function CodeChip({ children, className }: { children: string; className?: string }) {
  return <span className={clsx("whitespace-nowrap font-mono text-xs text-muted", className)}>{children}</span>;
}

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex min-w-5 whitespace-nowrap items-center justify-center rounded-sm border border-line bg-sunken px-1 font-mono text-2xs text-muted">
      {children}
    </kbd>
  );
}
