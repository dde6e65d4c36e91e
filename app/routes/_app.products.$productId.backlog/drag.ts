import type { DragEvent } from "react";

const dragType = "text/x-backloom-item";

export function startDrag(event: DragEvent, item: { kind: string; id: string }): void {
  event.dataTransfer.setData(dragType, `${item.kind}:${item.id}`);
  event.dataTransfer.effectAllowed = "move";
}

/** What was dropped here, or nothing when it came from elsewhere. */
export function readDragged(event: DragEvent): { kind: string; id: string } | null {
  const [kind, id] = event.dataTransfer.getData(dragType).split(":");
  if (!kind || !id) return null;
  event.preventDefault();
  return { kind, id };
}
