import { draggedWith, startThingDrag } from "~/features/items/keys/thing-drag";
import type { Hands } from "./board-hands";
import { placeAt } from "./placing";

/** Dragging cards with the platform's own dragging. Answers how to end it. */
export function followMouse(board: HTMLElement, { over, drop }: Hands): () => void {
  // What is dragged may be read only when it is dropped; until then it is known from its beginning.
  let things: readonly string[] = [];
  let seen: EventTarget | null = null;
  const placeOf = ({ target }: Event) => (target instanceof Element ? placeAt(target) : null);

  const onStart = (event: DragEvent) => {
    const card =
      event.target instanceof Element && event.target.closest<HTMLElement>("[data-task]");
    const thing = card ? (card.dataset.line ?? "") : "";
    if (!thing) return;
    things = draggedWith(thing);
    startThingDrag(event, thing);
  };
  let allowed = false;
  const onOver = (event: DragEvent) => {
    if (things.length === 0) return;
    // It is told many times a second.
    if (event.target !== seen) allowed = over(things, placeOf(event));
    seen = event.target;
    if (allowed) event.preventDefault();
  };
  const onLeave = ({ relatedTarget }: DragEvent) => {
    if (relatedTarget instanceof Node && board.contains(relatedTarget)) return;
    seen = null;
    over(things, null);
  };
  const onEnd = () => {
    things = [];
    seen = null;
    over(things, null);
  };
  const onDrop = (event: DragEvent) => {
    const place = placeOf(event);
    if (things.length === 0 || !place) return;
    event.preventDefault();
    const dropped = things;
    // A card that is drawn elsewhere by then ends its drag nowhere.
    onEnd();
    drop(dropped, place);
  };

  const following = new AbortController();
  const { signal } = following;
  board.addEventListener("dragstart", onStart, { signal });
  board.addEventListener("dragover", onOver, { signal });
  board.addEventListener("dragleave", onLeave, { signal });
  board.addEventListener("drop", onDrop, { signal });
  board.addEventListener("dragend", onEnd, { signal });
  return () => following.abort();
}
