import { isFields } from "./read-message";
import type { Signal } from "./signal";

/** What tabs say to each other: a newcomer asks, the tab that holds the connection tells. */
export type TabMessage =
  | { kind: "hello"; from: string }
  | { kind: "signals"; to: string | null; signals: Signal[] };

/** A tab may run another version of the page for a while; what it says is looked at before it is passed on. */
export function isTabMessage(value: unknown): value is TabMessage {
  if (!isFields(value)) return false;
  if (value.kind === "hello") return typeof value.from === "string";
  return value.kind === "signals" && Array.isArray(value.signals) && value.signals.every(isSignal);
}

function isSignal(value: unknown): value is Signal {
  if (!isFields(value)) return false;
  if (value.type === "status") return typeof value.status === "string";
  if (value.type === "named") return typeof value.name === "string";
  return value.type === "change";
}
