import { useMemo } from "react";
import { usePageKeys } from "~/ui/page-keys";

const lineSelector = ".seg > :not(.twin) .l";

/** Keys of a diff: `j` and `k` step by line, `n` and `p` by change, `J` and `K` by file. */
export function useDiffKeys(onComment: (line: HTMLElement) => void): void {
  const keys = useMemo(
    () => [
      { keys: "j", label: "Next line", run: () => step(lineSelector, 1) },
      { keys: "k", label: "Previous line", run: () => step(lineSelector, -1) },
      { keys: "n", label: "Next change", run: () => step(".change", 1) },
      { keys: "p", label: "Previous change", run: () => step(".change", -1) },
      { keys: "Shift+J", label: "Next file", run: () => step(".file summary", 1) },
      { keys: "Shift+K", label: "Previous file", run: () => step(".file summary", -1) },
      { keys: "v", label: "Mark the file as viewed", run: markViewed },
      {
        keys: "r",
        label: "Comment on the line",
        run: () => {
          const line = current()?.closest<HTMLElement>(".l");
          if (line) onComment(line);
        },
      },
    ],
    [onComment],
  );
  usePageKeys("Changes", keys);
}

function current(): HTMLElement | null {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement ? activeElement : null;
}

/** Moves focus to the next matching element in page order. */
function step(selector: string, direction: 1 | -1): void {
  // Lines of a folded file have a place, but cannot be focused.
  const all = [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility());
  const from = current();
  const isAt = (element: HTMLElement): boolean => from !== null && element.contains(from);
  const at = all.findIndex(isAt);
  const following = (element: HTMLElement): boolean =>
    from !== null && (element.compareDocumentPosition(from) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  const isInDiff = from?.closest(".file") != null;
  const next =
    at >= 0
      ? all[at + direction]
      : !isInDiff
        ? all[0]
        : direction === 1
          ? all.find(following)
          : all.findLast((element) => !following(element));
  if (!next) return;
  const target = next.matches(".change") ? (next.querySelector<HTMLElement>(".l") ?? next) : next;
  if (!target.matches("summary")) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  // The head of a file may be held at the top of the window.
  if (target.matches("summary")) target.closest(".file")?.scrollIntoView();
  else target.scrollIntoView({ block: "center" });
}

/** Folds the file, so its name takes the focus from the line that disappears. */
function markViewed(): void {
  const file = current()?.closest(".file");
  file?.querySelector<HTMLElement>("summary")?.focus();
  file?.querySelector<HTMLElement>("[role=checkbox]")?.click();
}
