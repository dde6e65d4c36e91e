import type { WhyNotMoving } from "~/contract/why-not-moving";

export type BlockedReason = WhyNotMoving["reasons"][number];

/** The reasons that a page shows, or null while the work moves; a command gets the address of this service. */
export function findBlockedReasons(
  { moving, reasons }: WhyNotMoving,
  origin: string,
  /** What the page shows elsewhere. */
  shownElsewhere: readonly string[] = [],
): BlockedReason[] | null {
  if (moving) return null;
  const shown = reasons.filter(({ code }) => !shownElsewhere.includes(code));
  if (shown.length === 0) return null;
  return shown.map(({ code, message, command }) => ({
    code,
    message,
    command: command?.replace("<address>", origin),
  }));
}
