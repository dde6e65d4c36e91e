import type { ReactNode } from "react";
import { Mark } from "./icon";

interface EmptyStateProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** What its keys do. Shown only on devices with a keyboard. */
  keys?: string | undefined;
  compact?: boolean;
}

/** Shown in place of an empty list: what it is for, and the first thing to do. */
export function EmptyState({ title, children, action, keys, compact = false }: EmptyStateProps) {
  return (
    <div className={`grid justify-items-center gap-2 px-4 text-center ${compact ? "py-6" : "py-14"}`}>
      {compact ? null : <Mark className="mb-1 size-8 opacity-70" />}
      <p className="text-base font-semibold">{title}</p>
      {children ? (
        <p className="max-w-md text-sm text-muted">
          {children}
          {keys ? <span className="hidden keyboard:inline"> {keys}</span> : null}
        </p>
      ) : null}
      {action ? <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  );
}
