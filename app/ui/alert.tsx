import clsx from "clsx";
import type { ReactNode } from "react";
import { StatusIcon, type StatusTone } from "./status";

const grounds: Partial<Record<StatusTone, string>> = {
  waiting: "border-waiting/40 bg-waiting-soft text-waiting",
  failed: "border-failed/40 bg-failed-soft text-failed",
  done: "border-done/40 bg-done-soft text-done",
};

interface AlertProps {
  tone?: StatusTone;
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  role?: "alert" | "status";
}

/** A message to read before going on, shown in the page, not over it. */
export function Alert({ tone = "idle", title, children, actions, role }: AlertProps) {
  return (
    <div
      role={role}
      className={clsx(
        "flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border px-3.5 py-2.5 text-sm",
        grounds[tone] ?? "border-line bg-sunken text-ink",
      )}
    >
      <StatusIcon tone={tone} className="mt-1" />
      <div className="grid min-w-48 flex-1 gap-1">
        <p className="font-semibold">{title}</p>
        {children ? <div className="text-ink">{children}</div> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </div>
  );
}
