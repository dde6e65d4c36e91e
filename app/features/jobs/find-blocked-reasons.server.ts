import { exactText } from "~/ui/relative-time";
import type { WhyNotMoving } from "~/wire/agent-jobs/contract";

/** A time as the API writes it into a sentence. */
const isoTime = /\d{4}-\d\d-\d\dT[\d:]{8}Z/g;

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
    message: message.replaceAll(isoTime, (time) => `${exactText(time)} UTC`),
    command: command?.replace("<address>", origin),
  }));
}
