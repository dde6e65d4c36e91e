import { kindOf, ofKind, selectedItems } from "../selection";

const longPressMs = 200;
/** A finger that moved this far before that scrolls; a mouse that moved this far drags. */
const slopPx = { touch: 10, mouse: 5 };
/** Near the edge of the window the page scrolls along; on a phone bars lie over it there. */
const edgePx = { touch: 120, mouse: 24 };
const scrollStepPx = 14;

/** What is held, and what it is held over. */
export interface Held {
  items: readonly string[];
  target: Element | null;
  y: number;
}

interface Dragging {
  /** What is held is over something else now; null: it is held no more. */
  over: (held: Held | null) => void;
  drop: (held: Held) => void;
  /** Whether a long press drags too. */
  byTouch: boolean;
}

interface Press {
  row: HTMLElement;
  hand: "touch" | "mouse";
  x: number;
  y: number;
}

/**
 * Dragging rows and cards (`data-drag`) by mouse, pen and finger in one way: browsers drag by touch in ways of their own or not
 * at all. One listener for an area, which may draw its rows anew meanwhile. Answers how to end it.
 */
export function followDrag(area: HTMLElement, { over, drop, byTouch }: Dragging): () => void {
  let press: Press | null = null;
  let lifted: Lifted | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasDragged = false;

  const lift = () => {
    if (!press) return;
    lifted = new Lifted(press, area, over);
    wasDragged = true;
    if (press.hand === "touch") navigator.vibrate?.(10);
  };
  const end = () => {
    clearTimeout(timer);
    if (lifted) over(null);
    lifted?.end();
    press = lifted = null;
  };
  const onDown = ({ target, isPrimary, button, pointerType, clientX, clientY }: PointerEvent) => {
    end();
    wasDragged = false;
    const hand = pointerType === "touch" ? "touch" : "mouse";
    const row = target instanceof Element ? target.closest<HTMLElement>("[data-drag]") : null;
    const isControl = target instanceof Element && target.closest("button, form") !== null;
    if (!row || !isPrimary || button !== 0 || isControl || (hand === "touch" && !byTouch)) return;
    press = { row, hand, x: clientX, y: clientY };
    if (hand === "touch") timer = setTimeout(lift, longPressMs);
  };
  const onMove = ({ clientX, clientY }: PointerEvent) => {
    if (!press) return;
    const isFar = Math.hypot(clientX - press.x, clientY - press.y) > slopPx[press.hand];
    if (!lifted && isFar && press.hand === "touch") return end();
    if (!lifted && isFar) lift();
    lifted?.moveTo(clientX, clientY);
  };
  const onUp = () => {
    const held = lifted?.held ?? null;
    end();
    if (held) drop(held);
  };
  const onClick = (event: MouseEvent) => {
    // The browser makes a click of it; a key that clicks has no detail.
    if (wasDragged && event.detail > 0) stop(event);
    wasDragged = false;
  };
  const onKey = (event: KeyboardEvent) => {
    if (!lifted || event.key !== "Escape") return;
    stop(event);
    end();
  };

  const following = new AbortController();
  const { signal } = following;
  area.addEventListener("pointerdown", onDown, { signal });
  window.addEventListener("pointermove", onMove, { signal });
  window.addEventListener("pointerup", onUp, { signal });
  window.addEventListener("pointercancel", end, { signal });
  window.addEventListener("click", onClick, { capture: true, signal });
  window.addEventListener("keydown", onKey, { capture: true, signal });
  // The browser's own dragging, scrolling and menu would take the pointer away.
  area.addEventListener("dragstart", (event) => press && stop(event), { signal });
  area.addEventListener("contextmenu", (event) => press?.hand === "touch" && stop(event), {
    signal,
  });
  area.addEventListener("touchmove", (event) => lifted && stop(event), { passive: false, signal });
  return () => {
    end();
    following.abort();
  };
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** What goes along when this one is dragged: all that are selected, when it is one of them. */
function draggedWith(item: string): readonly string[] {
  const selected = selectedItems();
  return selected.has(item) ? ofKind(selected, kindOf(item)) : [item];
}

/** A picture of what is held at the pointer, from when it is lifted until it is let go. */
class Lifted {
  readonly #press: Press;
  readonly #over: Dragging["over"];
  readonly #items: readonly string[];
  readonly #picture = document.createElement("div");
  readonly #columns: HTMLElement | null;
  #at: { x: number; y: number };
  #target: Element | null = null;
  #frame = 0;

  constructor(press: Press, area: HTMLElement, over: Dragging["over"]) {
    this.#press = press;
    this.#over = over;
    this.#at = press;
    this.#items = draggedWith(press.row.dataset.line ?? "");
    this.#columns = area.querySelector<HTMLElement>("[data-columns]");
    const box = press.row.getBoundingClientRect();
    const count = this.#items.length;
    this.#picture.className = "card card-lifted";
    this.#picture.setAttribute("aria-hidden", "true");
    this.#picture.textContent =
      count > 1 ? `${count} selected` : (press.row.querySelector("[data-row]")?.textContent ?? "");
    // A line of a list is wider than its picture.
    this.#picture.style.setProperty("left", `${Math.max(box.left, press.x - 160)}px`);
    this.#picture.style.setProperty("top", `${box.top}px`);
    this.#picture.style.setProperty("width", `${Math.min(box.width, 320)}px`);
    document.body.append(this.#picture);
    press.row.dataset.lifted = "true";
    // The columns snap into place; that would fight with scrolling along.
    this.#columns?.style.setProperty("scroll-snap-type", "none");
  }

  /** What is under the pointer now, which the page may have scrolled there. */
  get held(): Held {
    const { x, y } = this.#at;
    return { items: this.#items, target: document.elementFromPoint(x, y), y };
  }

  moveTo(x: number, y: number): void {
    this.#at = { x, y };
    const { style } = this.#picture;
    style.setProperty("transform", `translate(${x - this.#press.x}px, ${y - this.#press.y}px)`);
    cancelAnimationFrame(this.#frame);
    this.#look();
  }

  end(): void {
    cancelAnimationFrame(this.#frame);
    this.#picture.remove();
    delete this.#press.row.dataset.lifted;
    this.#columns?.style.removeProperty("scroll-snap-type");
  }

  /** Says what it is over now, and scrolls along while it is near an edge. */
  readonly #look = (): void => {
    const { held } = this;
    if (held.target !== this.#target) this.#over(held);
    this.#target = held.target;
    const edge = edgePx[this.#press.hand];
    const left = towards(this.#at.x, window.innerWidth, Math.min(edge, 48));
    const top = towards(this.#at.y, window.innerHeight, edge);
    if (left === 0 && top === 0) return;
    this.#columns?.scrollBy({ left });
    window.scrollBy({ top, behavior: "instant" });
    this.#frame = requestAnimationFrame(this.#look);
  };
}

/** How far to scroll in a frame for a pointer so near to an edge. */
function towards(at: number, size: number, edge: number): number {
  if (at < edge) return -scrollStepPx;
  return at > size - edge ? scrollStepPx : 0;
}
