import type { WhyNotMoving } from "~/nouns/agent-jobs/why-not-moving";

export type BlockedReason = WhyNotMoving["reasons"][number];

/** Returns the reasons to show, or null while the work moves. Puts this service's address into commands. */
export function findBlockedReasons(
  { moving, reasons }: WhyNotMoving,
  origin: string,
  /** Codes of reasons that the page shows elsewhere. */
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
