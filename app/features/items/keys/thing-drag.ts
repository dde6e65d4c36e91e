import type { DragEvent } from "react";
import { kindOf, ofKind } from "../kinds";
import { selectedThings } from "../selection";

const dragType = "text/x-backloom-things";

/** What goes along when this one is dragged: all that are selected, when it is one of them. */
export function draggedWith(thing: string): readonly string[] {
  const selected = selectedThings();
  if (!selected.has(thing)) return [thing];
  return ofKind(selected, kindOf(thing));
}

/** Begins to drag a row or card; several go along with their number at the pointer. */
export function startThingDrag(
  { dataTransfer }: { dataTransfer: DataTransfer | null },
  thing: string,
): void {
  const things = draggedWith(thing);
  if (!dataTransfer) return;
  dataTransfer.setData(dragType, things.join(","));
  dataTransfer.effectAllowed = "move";
  if (things.length === 1) return;
  const picture = document.createElement("div");
  picture.className = "drag-count";
  picture.textContent = String(things.length);
  document.body.append(picture);
  dataTransfer.setDragImage(picture, -8, -8);
  // The browser has its picture by then.
  setTimeout(() => picture.remove());
}

/** What was dropped here; nothing when it came from elsewhere. */
export function readDragged(event: DragEvent): readonly string[] {
  const things = event.dataTransfer.getData(dragType).split(",").filter(Boolean);
  if (things.length > 0) event.preventDefault();
  return things;
}
