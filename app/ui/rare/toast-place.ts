/** What people press: a message lies over none of these. */
const pressed =
  "button, input, select, textarea, summary, [role=button], a[data-button], [data-side-panel] a";

const gap = 8;
const edge = 12;

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Puts the messages where nothing lies below them that can be pressed, as near to the lower right corner as there is room. */
export function placeToasts(region: HTMLElement): void {
  // Whoever is about to press something in a message finds it where it was.
  if (region.matches(":hover") || region.contains(document.activeElement)) return;
  // As wide as its texts want to be.
  region.style.removeProperty("inset");
  const card = region.getBoundingClientRect();
  const [width, height] = [card.width, card.height];
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

/** Right, middle and left, as far as the window has them. */
function columnsFor(width: number): number[] {
  const right = document.documentElement.clientWidth - width - edge;
  const from = document.querySelector("main")?.getBoundingClientRect().left ?? 0;
  return [right, (from + right) / 2, from + edge].filter((left) => left >= 0);
}

/** The bar at the foot of a phone. */
function bottomOf(): number {
  const bar = document.querySelector("[data-bottom-bar]")?.getBoundingClientRect();
  return bar?.height ?? 0;
}

function boxesOf(region: HTMLElement): Box[] {
  return [...document.querySelectorAll<HTMLElement>(pressed)]
    .filter((element) => !region.contains(element) && element.checkVisibility())
    .map(boxOf)
    .filter(({ bottom, top, width }) => width > 1 && bottom > 0 && top < window.innerHeight);
}

/** A summary is as wide as its list; what people press is its words. */
function boxOf(element: HTMLElement): DOMRect {
  if (element.tagName !== "SUMMARY") return element.getBoundingClientRect();
  const words = document.createRange();
  words.selectNodeContents(element);
  return words.getBoundingClientRect();
}

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right + gap &&
  other.left < one.right + gap &&
  one.top < other.bottom + gap &&
  other.top < one.bottom + gap;

/** Places them anew when what is below them changes. */
export function keepPlaced(region: HTMLElement): () => void {
  let frame = 0;
  const place = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => placeToasts(region));
  };
  const watching = new MutationObserver((changes) => {
    if (changes.some(({ target }) => !region.contains(target))) place();
  });
  watching.observe(document.body, { childList: true, subtree: true });
  window.addEventListener("resize", place);
  return () => {
    cancelAnimationFrame(frame);
    watching.disconnect();
    window.removeEventListener("resize", place);
  };
}
