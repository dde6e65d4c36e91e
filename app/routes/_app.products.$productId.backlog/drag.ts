import type { DragEvent } from "react";
import { startThingDrag } from "~/components/things/thing-drag";

export { readDragged } from "~/components/things/thing-drag";

interface Line {
  kind: string;
  id: string;
}

/** The line of the tree that an event is about. */
export function lineUnder({ target }: { target: EventTarget }): Line | null {
  const line = target instanceof Element ? target.closest("[data-line]") : null;
  return readLine(line?.getAttribute("data-line") ?? "");
}

export function startLineDrag(event: DragEvent): void {
  const line = lineUnder(event);
  if (line) startThingDrag(event, `${line.kind}:${line.id}`);
}

export function halfOf(event: DragEvent): "upper" | "lower" {
  const line = event.target instanceof Element ? event.target.closest("[data-line]") : null;
  const box = (line ?? event.currentTarget).getBoundingClientRect();
  return event.clientY < box.top + box.height / 2 ? "upper" : "lower";
}

function readLine(text: string): Line | null {
  const [kind, id] = text.split(":");
  return kind && id ? { kind, id } : null;
}
