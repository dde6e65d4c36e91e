import { draggedWith } from "~/components/things/thing-drag";

const longPressMs = 200;
/** A finger that moved this far meanwhile scrolls. */
const slopPx = 10;
const edgePx = 48;
const scrollStepPx = 14;

export interface TouchDrag {
  /** Is told the column under the finger, or null: for its highlight. Both functions must be stable. */
  onOver: (status: string | null) => void;
  onDrop: (things: readonly string[], status: string) => void;
}

/**
 * Dragging a card with a finger: hold it for 200 ms, then move it; near the edge the board scrolls along. Browsers drag
 * by touch in ways of their own or not at all. Mouse and pen keep the platform's dragging. Answers how to end it.
 */
export function followTouches(element: HTMLElement, { onOver, onDrop }: TouchDrag): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start: { x: number; y: number } | undefined;
  let drag: CardDrag | undefined;

  const stop = () => {
    clearTimeout(timer);
    drag?.end();
    drag = undefined;
    start = undefined;
    onOver(null);
  };
  const onTouchStart = (event: TouchEvent) => {
    const [touch, second] = event.touches;
    const target = event.target instanceof Element ? event.target : null;
    const card = target?.closest<HTMLElement>("[data-task]");
    if (!touch || second || !card || target?.closest("button, form")) return stop();
    start = { x: touch.clientX, y: touch.clientY };
    timer = setTimeout(() => {
      drag = new CardDrag(card, element, touch);
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
    onOver(drag.moveTo(touch));
  };
  const onTouchEnd = (event: TouchEvent) => {
    const dropped = drag;
    const column = dropped?.column;
    stop();
    if (!dropped) return;
    // Else the browser makes a click of it, which would follow the card's link.
    event.preventDefault();
    if (column) onDrop(dropped.things, column);
  };
  const refuse = (event: Event) => {
    if (drag || (start && event.type === "contextmenu")) event.preventDefault();
  };

  element.addEventListener("touchstart", onTouchStart, { passive: true });
  element.addEventListener("touchmove", onTouchMove, { passive: false });
  element.addEventListener("touchend", onTouchEnd);
  element.addEventListener("touchcancel", stop);
  element.addEventListener("contextmenu", refuse);
  element.addEventListener("dragstart", refuse);
  return () => {
    stop();
    element.removeEventListener("touchstart", onTouchStart);
    element.removeEventListener("touchmove", onTouchMove);
    element.removeEventListener("touchend", onTouchEnd);
    element.removeEventListener("touchcancel", stop);
    element.removeEventListener("contextmenu", refuse);
    element.removeEventListener("dragstart", refuse);
  };
}

/** A picture of the card under the finger, from the long press until the finger lifts. */
class CardDrag {
  readonly things: readonly string[];
  column: string | null = null;
  readonly #card: HTMLElement;
  readonly #picture: HTMLElement;
  readonly #columns: HTMLElement | null;
  readonly #from: { x: number; y: number };
  #frame = 0;
  #step = 0;

  constructor(card: HTMLElement, board: HTMLElement, touch: Touch) {
    this.things = draggedWith(card.dataset.line ?? "");
    this.#card = card;
    this.#columns = board.querySelector<HTMLElement>("[data-columns]");
    this.#from = { x: touch.clientX, y: touch.clientY };
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

  /** The column that would take the card here. */
  moveTo({ clientX: x, clientY: y }: Touch): string | null {
    this.#picture.style.setProperty(
      "transform",
      `translate(${x - this.#from.x}px, ${y - this.#from.y}px) rotate(1.5deg)`,
    );
    this.#scrollAlong(x);
    const under = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-column]");
    const status = under?.dataset.column ?? null;
    this.column = status === "failed" ? null : status;
    return this.column;
  }

  end(): void {
    cancelAnimationFrame(this.#frame);
    this.#picture.remove();
    delete this.#card.dataset.lifted;
    this.#columns?.style.removeProperty("scroll-snap-type");
  }

  #scrollAlong(x: number): void {
    this.#step = x < edgePx ? -scrollStepPx : x > window.innerWidth - edgePx ? scrollStepPx : 0;
    cancelAnimationFrame(this.#frame);
    const tick = () => {
      if (this.#step === 0) return;
      this.#columns?.scrollBy({ left: this.#step });
      this.#frame = requestAnimationFrame(tick);
    };
    tick();
  }
}
