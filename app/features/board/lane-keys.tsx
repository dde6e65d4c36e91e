import { activeRow, focusAfterDrawing } from "~/features/items/active-row";
import { type PageKey, usePageKeys } from "~/ui/page-keys";

const keys: readonly PageKey[] = [{ keys: "t", label: "Collapse or expand the lane", run: foldLane }];
const none: readonly PageKey[] = [];

/** Adds `t` (fold the lane) to a page whose rows are grouped into lanes. */
export function useLaneKeys(hasLanes: boolean): void {
  usePageKeys("Lanes", hasLanes ? keys : none);
}

/** For pages that load these keys lazily. */
export default function LaneKeys(): JSX.Element {
  useLaneKeys(true);
  return <span hidden data-lane-keys />;
}

/** Folds the lane of the highlighted row, or under the pointer. Focus in its cards moves to its heading. */
function foldLane(): boolean {
  const row = activeRow() ?? document.activeElement;
  const lane = row?.closest<HTMLElement>("[data-lane]") ?? document.querySelector<HTMLElement>("[data-lane]:hover");
  const link = lane?.querySelector<HTMLElement>("[data-fold]");
  if (!lane || !link) return false;
  const name = CSS.escape(lane.dataset.lane ?? "");
  if (lane.contains(document.activeElement)) link.focus();
  link.click();
  // In a list the lane is re-rendered.
  focusAfterDrawing(() => document.querySelector<HTMLElement>(`[data-lane="${name}"] [data-fold]`));
  return true;
}
