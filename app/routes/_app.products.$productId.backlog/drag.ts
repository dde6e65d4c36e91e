import type { DragEvent } from "react";
import { lineOf, thingOf } from "~/features/items/at-hand";
import { startThingDrag } from "~/features/items/keys/thing-drag";

interface Line {
  kind: string;
  id: string;
}

/** The line of the tree that an event is about. */
export function lineUnder({ target }: { target: EventTarget }): Line | null {
  const [kind, id] = (thingOf(lineOf(target)) ?? "").split(":");
  return kind && id ? { kind, id } : null;
}

export function startLineDrag(event: DragEvent): void {
  const line = lineUnder(event);
  if (line) startThingDrag(event, `${line.kind}:${line.id}`);
}

export function halfOf(event: DragEvent): "upper" | "lower" {
  const box = (lineOf(event.target) ?? event.currentTarget).getBoundingClientRect();
  return event.clientY < box.top + box.height / 2 ? "upper" : "lower";
}
