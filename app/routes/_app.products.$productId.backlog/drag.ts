import type { DragEvent } from "react";

const dragType = "text/x-backloom-item";

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
  if (!line) return;
  event.dataTransfer.setData(dragType, `${line.kind}:${line.id}`);
  event.dataTransfer.effectAllowed = "move";
}

/** What was dropped here, or nothing when it came from elsewhere. */
export function readDragged(event: DragEvent): Line | null {
  const line = readLine(event.dataTransfer.getData(dragType));
  if (line) event.preventDefault();
  return line;
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
