import { kindOf, ofKind, selectedItems } from "./selection";

const longPressMs = 200;
/** Pixels a press may move: touch that moves further before the long press scrolls, a mouse drags. */
const slopPx = { touch: 10, mouse: 5 };
/** Distance from the window's edge at which the page scrolls. Larger for touch: phones have bars there. */
const edgePx = { touch: 120, mouse: 24 };
const scrollStepPx = 14;

export type Dragged = { items: readonly string[]; target: Element | null; y: number };

interface Dragging {
  /** Called when the element under the pointer changes; null when the drag ends. */
  over: (dragged: Dragged | null) => void;
  drop: (dragged: Dragged) => void;
  byTouch: boolean;
}

type Press = { row: HTMLElement; hand: "touch" | "mouse"; x: number; y: number };

/** Drags `data-drag` alike for mouse, pen and touch; native dragging differs by browser. Returns a stop function. */
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
    const dragged = lifted?.dragged ?? null;
    end();
    if (dragged) drop(dragged);
  };
  const onClick = (event: MouseEvent) => {
    // Browsers fire a click after a drag. Clicks from the keyboard have no detail.
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
  // Native dragging, scrolling and context menus would cancel the pointer.
  area.addEventListener("dragstart", (event) => press && stop(event), { signal });
  area.addEventListener("contextmenu", (event) => press?.hand === "touch" && stop(event), { signal });
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

function draggedWith(item: string): readonly string[] {
  const selected = selectedItems();
  return selected.has(item) ? ofKind(selected, kindOf(item)) : [item];
}

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
    // List rows are wider than the preview.
    this.#picture.style.setProperty("left", `${Math.max(box.left, press.x - 160)}px`);
    this.#picture.style.setProperty("top", `${box.top}px`);
    this.#picture.style.setProperty("width", `${Math.min(box.width, 320)}px`);
    document.body.append(this.#picture);
    press.row.dataset.lifted = "true";
    // Scroll snapping would fight with scrolling during the drag.
    this.#columns?.style.setProperty("scroll-snap-type", "none");
  }

  /** What is under the pointer now; scrolling may have changed it. */
  get dragged(): Dragged {
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

  /** Reports a new target, and keeps scrolling while the pointer is near an edge. */
  readonly #look = (): void => {
    const { dragged } = this;
    if (dragged.target !== this.#target) this.#over(dragged);
    this.#target = dragged.target;
    const edge = edgePx[this.#press.hand];
    const left = towards(this.#at.x, window.innerWidth, Math.min(edge, 48));
    const top = towards(this.#at.y, window.innerHeight, edge);
    if (left === 0 && top === 0) return;
    this.#columns?.scrollBy({ left });
    window.scrollBy({ top, behavior: "instant" });
    this.#frame = requestAnimationFrame(this.#look);
  };
}

/** Returns how far to scroll per frame for a pointer at this position. */
function towards(at: number, size: number, edge: number): number {
  if (at < edge) return -scrollStepPx;
  return at > size - edge ? scrollStepPx : 0;
}
