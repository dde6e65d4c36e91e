import { draggedWith } from "~/features/items/keys/thing-drag";
import type { Hands } from "./board-hands";
import { type Place, placeAt } from "./placing";

const longPressMs = 200;
/** A finger that moved this far meanwhile scrolls. */
const slopPx = 10;
const edgePx = 48;
/** The bars above and below the page lie over it. */
const barPx = 72;
const scrollStepPx = 14;

/**
 * Dragging a card with a finger: hold it for 200 ms, then move it; near the edge the board scrolls along. Browsers drag
 * by touch in ways of their own or not at all. Mouse and pen keep the platform's dragging. Answers how to end it.
 */
export function followTouches(element: HTMLElement, hands: Hands): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start: { x: number; y: number } | undefined;
  let drag: CardDrag | undefined;

  const stop = () => {
    clearTimeout(timer);
    if (drag) hands.over([], null);
    drag?.end();
    drag = undefined;
    start = undefined;
  };
  const onTouchStart = (event: TouchEvent) => {
    const [touch, second] = event.touches;
    const target = event.target instanceof Element ? event.target : null;
    const card = target?.closest<HTMLElement>("[data-task]");
    if (!touch || second || !card || target?.closest("button, form")) return stop();
    start = { x: touch.clientX, y: touch.clientY };
    timer = setTimeout(() => {
      drag = new CardDrag(card, element, touch, hands.over);
      navigator.vibrate?.(10);
    }, longPressMs);
  };
  const onTouchMove = (event: TouchEvent) => {
    const [touch] = event.touches;
    if (!touch || !start) return;
    if (!drag) {
      const far = Math.hypot(touch.clientX - start.x, touch.clientY - start.y) > slopPx;
      if (far) stop();
      return;
    }
    event.preventDefault();
    drag.moveTo(touch);
  };
  const onTouchEnd = (event: TouchEvent) => {
    const dropped = drag;
    const place = dropped?.place;
    stop();
    if (!dropped) return;
    // Else the browser makes a click of it, which would follow the card's link.
    event.preventDefault();
    if (place) hands.drop(dropped.things, place);
  };
  const refuse = (event: Event) => {
    if (drag || (start && event.type === "contextmenu")) event.preventDefault();
  };

  const following = new AbortController();
  const { signal } = following;
  element.addEventListener("touchstart", onTouchStart, { passive: true, signal });
  element.addEventListener("touchmove", onTouchMove, { passive: false, signal });
  element.addEventListener("touchend", onTouchEnd, { signal });
  element.addEventListener("touchcancel", stop, { signal });
  element.addEventListener("contextmenu", refuse, { signal });
  element.addEventListener("dragstart", refuse, { signal });
  return () => {
    stop();
    following.abort();
  };
}

/** A picture of the card under the finger, from the long press until the finger lifts. */
class CardDrag {
  readonly things: readonly string[];
  readonly #card: HTMLElement;
  readonly #picture: HTMLElement;
  readonly #columns: HTMLElement | null;
  readonly #over: Hands["over"];
  readonly #from: { x: number; y: number };
  #at: { x: number; y: number };
  #frame = 0;
  #step = { left: 0, top: 0 };

  constructor(card: HTMLElement, board: HTMLElement, touch: Touch, over: Hands["over"]) {
    this.#over = over;
    this.things = draggedWith(card.dataset.line ?? "");
    this.#card = card;
    this.#columns = board.querySelector<HTMLElement>("[data-columns]");
    this.#from = { x: touch.clientX, y: touch.clientY };
    this.#at = this.#from;
    const box = card.getBoundingClientRect();
    const picture = document.createElement("div");
    picture.className = "card card-lifted";
    picture.setAttribute("aria-hidden", "true");
    const count = this.things.length;
    picture.textContent =
      count > 1 ? `${count} tasks` : (card.querySelector("[data-row]")?.textContent ?? "");
    picture.style.setProperty("left", `${box.left}px`);
    picture.style.setProperty("top", `${box.top}px`);
    picture.style.setProperty("width", `${box.width}px`);
    document.body.append(picture);
    this.#picture = picture;
    card.dataset.lifted = "true";
    // The columns snap into place; that would fight with scrolling along.
    this.#columns?.style.setProperty("scroll-snap-type", "none");
  }

  /** Where the card would go: what is under the finger now, which the page may have scrolled there. */
  get place(): Place | null {
    return placeAt(document.elementFromPoint(this.#at.x, this.#at.y));
  }

  moveTo({ clientX: x, clientY: y }: Touch): void {
    this.#at = { x, y };
    this.#picture.style.setProperty(
      "transform",
      `translate(${x - this.#from.x}px, ${y - this.#from.y}px) rotate(1.5deg)`,
    );
    this.#over(this.things, this.place);
    this.#scrollAlong(x, y);
  }

  end(): void {
    cancelAnimationFrame(this.#frame);
    this.#picture.remove();
    delete this.#card.dataset.lifted;
    this.#columns?.style.removeProperty("scroll-snap-type");
  }

  #scrollAlong(x: number, y: number): void {
    this.#step = {
      left: towards(x, edgePx, window.innerWidth - edgePx),
      top: towards(y, barPx + edgePx, window.innerHeight - barPx - edgePx),
    };
    cancelAnimationFrame(this.#frame);
    const tick = () => {
      const { left, top } = this.#step;
      if (left === 0 && top === 0) return;
      this.#columns?.scrollBy({ left });
      window.scrollBy({ top, behavior: "instant" });
      this.#over(this.things, this.place);
      this.#frame = requestAnimationFrame(tick);
    };
    tick();
  }
}

/** How far to scroll in a frame for a finger at this edge. */
function towards(at: number, first: number, last: number): number {
  if (at < first) return -scrollStepPx;
  return at > last ? scrollStepPx : 0;
}
