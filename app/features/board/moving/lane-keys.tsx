import { activeRow, focusAfterDrawing } from "~/features/items/active-row";
import { type PageKey, usePageKeys } from "~/ui/page-keys";

const keys: readonly PageKey[] = [
  { keys: "t", label: "Collapse or expand the lane", run: foldLane },
];
const none: readonly PageKey[] = [];

/** `t` on a page whose rows stand in lanes. */
export function useLaneKeys(hasLanes: boolean): void {
  usePageKeys("Lanes", hasLanes ? keys : none);
}

/** For pages that load it later. */
export default function LaneKeys(): JSX.Element {
  useLaneKeys(true);
  return <span hidden data-lane-keys />;
}

/** The lane of the highlighted row, else the one under the pointer. Focus in it goes to its line: the cards go away. */
function foldLane(): boolean {
  const row = activeRow() ?? document.activeElement;
  const lane =
    row?.closest<HTMLElement>("[data-lane]") ??
    document.querySelector<HTMLElement>("[data-lane]:hover");
  const link = lane?.querySelector<HTMLElement>("[data-fold]");
  if (!lane || !link) return false;
  const name = CSS.escape(lane.dataset.lane ?? "");
  if (lane.contains(document.activeElement)) link.focus();
  link.click();
  // A list is written anew.
  focusAfterDrawing(() => document.querySelector<HTMLElement>(`[data-lane="${name}"] [data-fold]`));
  return true;
}
