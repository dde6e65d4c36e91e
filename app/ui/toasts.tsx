import { useEffect, useLayoutEffect, useRef } from "react";
import { Button, IconButton } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { StatusIcon } from "./status";
import { dismissToast, type Toast, undo, useStartBlocked, useToasts } from "./toast";

function Toasts({ toasts }: { toasts: readonly Toast[] }) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another message needs another place
  useLayoutEffect(() => {
    const region = list.current?.parentElement;
    if (!region) return;
    positionToasts(region);
    return keepPositioned(region);
  }, [toasts]);
  useEffect(() => () => void document.documentElement.style.removeProperty("--toasts"), []);
  return (
    <div ref={list} className="contents">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  useEffect(() => {
    // Refusals stay longer, because they must be read,
    // and so do toasts with an Undo button.
    const long = toast.tone === "failed" || toast.offer.undo;
    const timer = setTimeout(() => dismissToast(toast.id), long ? 9000 : 4000);
    return () => clearTimeout(timer);
  }, [toast]);
  const begin = useStartBlocked();
  const { offer } = toast;
  const waiting = offer.begin;
  const press = (act: () => void) => () => {
    dismissToast(toast.id);
    act();
  };
  return (
    <div className="arrive pointer-events-auto flex max-w-md items-start gap-2.5 rounded-lg border border-line bg-raised py-2 pr-1.5 pl-3 text-sm shadow-pop">
      <StatusIcon tone={toast.tone} className="mt-1" />
      <p className="py-0.5">{toast.text}</p>
      {offer.undo ? (
        <Button size="sm" onClick={press(undo)}>
          Undo
        </Button>
      ) : null}
      {waiting ? (
        <Button size="sm" className="shrink-0" onClick={press(() => begin(waiting))}>
          {waiting.status === "done" ? "Finish anyway" : "Start anyway"}
        </Button>
      ) : null}
      <IconButton label="Dismiss" size="icon-sm" onClick={() => dismissToast(toast.id)}>
        <Icon name="x" className="size-3.5" />
      </IconButton>
    </div>
  );
}

/** The page's one region for toasts. Screen readers read them politely. */
export function ToastRegion() {
  const toasts = useToasts();
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-20 z-50 grid justify-items-center gap-2 sm:inset-x-auto sm:right-5 sm:bottom-5 sm:justify-items-end"
    >
      {/* Not loaded when the first one appears: it may say that there is no network. */}
      {toasts.length > 0 ? <Toasts toasts={toasts} /> : null}
    </section>
  );
}

/** Elements that people press. Toasts must not cover them. */
const pressed = "button, input, select, textarea, summary, [role=button], a[data-button], [data-side-panel] a";

const gap = 8;
const edge = 12;

type Box = Record<"left" | "top" | "right" | "bottom", number>;

/** Places the toasts where they cover nothing that people press, as near to the lower right corner as possible. */
function positionToasts(region: HTMLElement): void {
  // A review's bar makes room, so that its code stays in sight.
  const bar = document.querySelector(".review-bar");
  // Do not move toasts under the pointer or focus.
  if (!bar && (region.matches(":hover") || region.contains(document.activeElement))) return;
  // Reset to measure the natural width.
  region.removeAttribute("style");
  const card = region.getBoundingClientRect();
  const [width, height] = [card.width, card.height];
  if (bar) {
    document.documentElement.style.setProperty("--toasts", `${height + gap}px`);
    const { left, top } = bar.getBoundingClientRect();
    // On the side without the buttons, so that a second click presses nothing here.
    region.style.cssText = `inset: ${top + gap / 2}px ${edge}px auto ${left + edge}px; justify-items: start`;
    return;
  }
  const taken = boxesOf(region);
  const lowest = window.innerHeight - bottomOf() - height - edge;
  const columns = columnsFor(width);
  let best = { left: columns[0] ?? edge, top: lowest, hidden: Number.POSITIVE_INFINITY };
  for (let top = lowest; top > window.innerHeight / 3 && best.hidden > 0; top -= gap) {
    for (const left of columns) {
      const box = { left, top, right: left + width, bottom: top + height };
      const hidden = taken.filter((other) => overlap(box, other)).length;
      if (hidden < best.hidden) best = { left, top, hidden };
    }
  }
  region.style.setProperty("inset", `${best.top}px auto auto ${best.left}px`);
}

/** Left edges to try: right, middle and left column, as far as they fit the window. */
function columnsFor(width: number): number[] {
  const right = document.documentElement.clientWidth - width - edge;
  const from = document.querySelector("main")?.getBoundingClientRect().left ?? 0;
  return [right, (from + right) / 2, from + edge].filter((left) => left >= 0);
}

/** Height from the bottom of the window that bars take: the phone's and a review's. */
function bottomOf(): number {
  const tops = [...document.querySelectorAll("[data-bottom-bar]")]
    .filter((bar) => bar.checkVisibility())
    .map((bar) => bar.getBoundingClientRect().top);
  return Math.max(0, window.innerHeight - Math.min(window.innerHeight, ...tops));
}

function boxesOf(region: HTMLElement): Box[] {
  return [...document.querySelectorAll<HTMLElement>(pressed)]
    .filter((element) => !region.contains(element) && element.checkVisibility())
    .map(boxOf)
    .filter(({ bottom, top, width }) => width > 1 && bottom > 0 && top < window.innerHeight);
}

/** Returns the box to keep free. A summary is as wide as its list, so only its text counts. */
function boxOf(element: HTMLElement): DOMRect {
  if (element.tagName !== "SUMMARY") return element.getBoundingClientRect();
  const text = document.createRange();
  text.selectNodeContents(element);
  return text.getBoundingClientRect();
}

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right + gap &&
  other.left < one.right + gap &&
  one.top < other.bottom + gap &&
  other.top < one.bottom + gap;

/** Places the toasts again when the page below them changes. Returns a function that stops it. */
function keepPositioned(region: HTMLElement): () => void {
  let frame = 0;
  const position = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => positionToasts(region));
  };
  const watching = new MutationObserver((changes) => {
    if (changes.some(({ target }) => !region.contains(target))) position();
  });
  watching.observe(document.body, { childList: true, subtree: true, attributeFilter: ["open"] });
  window.addEventListener("resize", position);
  return () => {
    cancelAnimationFrame(frame);
    watching.disconnect();
    window.removeEventListener("resize", position);
  };
}
