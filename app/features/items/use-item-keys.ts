import { type MutableRefObject, useMemo } from "react";
import { type PageKey, pressEdit, usePageKeys } from "~/ui/page-keys";
import { activeRow, focusRow, isPageItem, itemOf, orderOnPage, rowOf } from "./active-row";
import { type ItemAction, itemActions, rowGroup, runItemAction } from "./item-actions";
import type { OwnPeek } from "./row-actions";
import { kindOf, ofKind, selectAll, selectedItems, selectRange, toggleSelected } from "./selection";
import type { Change } from "./use-changes";

let isHeld = false;

/** Whether the key is held: repeats must not trigger again. */
function isHeldOn({ repeat }: KeyboardEvent): boolean {
  isHeld = repeat;
  return repeat;
}

/** Holding Space peeks until release; tapping it opens, and the next tap closes. */
export function closeOnRelease(close: () => unknown): () => void {
  const onKeyUp = ({ key }: KeyboardEvent) => {
    if (key !== " " || !isHeld) return;
    isHeld = false;
    close();
  };
  window.addEventListener("keyup", onKeyUp);
  return () => window.removeEventListener("keyup", onKeyUp);
}

const none: readonly PageKey[] = [];

interface KeyOptions {
  isReady: boolean;
  /** Keys that the page uses otherwise. */
  without: string;
  canWrite: boolean;
  change: Change;
  peek: MutableRefObject<OwnPeek>;
}

/** Registers the keys for the highlighted row or the selection. */
export function useItemKeys({ isReady, without, canWrite, change, peek }: KeyOptions): void {
  const keys = useMemo<PageKey[]>(() => {
    const actions = itemActions.filter(({ key }) => !without.includes(key));
    return [
      ...actions.map((action) => ({
        keys: action.key,
        label: action.label.replace("…", ""),
        run: (event?: KeyboardEvent) => pressed(action, event),
      })),
      { keys: "Shift+ArrowDown", label: "Select the next row too", run: () => extend(1) },
      { keys: "Shift+ArrowUp", label: "Select the previous row too", run: () => extend(-1) },
      { keys: "$mod+a", label: "Select all rows of this type", run: all },
      ...(canWrite ? orderKeys(change) : []),
      { keys: "ArrowDown", label: "Peek at the next row", run: () => walk(peek.current, 1) },
      { keys: "ArrowUp", label: "Peek at the previous row", run: () => walk(peek.current, -1) },
    ];
  }, [without, canWrite, change, peek]);
  usePageKeys(rowGroup, isReady ? keys : none);
}

/** Runs an action on the selection, otherwise the highlighted row. `e` also edits a text in place. */
function pressed({ name, single }: ItemAction, event?: KeyboardEvent): boolean {
  const row = activeRow();
  const own = itemOf(row);
  const active = document.activeElement;
  const ofPage = isPageItem(row);
  if (name === "title" && (!own || ofPage || active?.closest("[data-editable]"))) return pressEdit();
  if (ofPage && (name === "select" || name === "peek" || name === "waits")) return false;
  if (name === "peek" && active?.matches("button, summary, [role=button]")) return false;
  if (name === "peek" && event && isHeldOn(event)) return true;
  const chosen = single || name === "select" ? [] : [...selectedItems()];
  const items = chosen.length > 0 || !own ? chosen : [own];
  if (items.length === 0) return false;
  runItemAction(name, items, row);
  return true;
}

function extend(step: 1 | -1): boolean {
  const item = itemOf(activeRow());
  if (!item) return false;
  const next = neighbor(item, step, ofKind(orderOnPage(), kindOf(item)));
  // The next PBI may be far below the stories of this one: a row out of sight is not selected.
  if (!next || !rowOf(next)) return false;
  if (!selectedItems().has(item)) toggleSelected(item);
  selectRange(next);
  focusRow(next);
  return true;
}

function all(): boolean {
  const item = itemOf(activeRow());
  if (item) selectAll(kindOf(item));
  return item !== null;
}

function walk(peek: OwnPeek, step: 1 | -1): boolean {
  const next = peek.open ? neighbor(peek.open, step) : null;
  if (!next) return false;
  peek.show(next);
  focusRow(next);
  return true;
}

function neighbor(item: string, step: 1 | -1, order = orderOnPage()): string | null {
  return order[order.indexOf(item) + step] ?? null;
}

/** Keys that move a PBI up, down, to the top or to the bottom of the page's PBIs. */
function orderKeys(change: Change): PageKey[] {
  const to = (indexFrom: (at: number, last: number) => number) => () => {
    const item = itemOf(activeRow());
    const pbis = ofKind(orderOnPage(), "pbi");
    const at = pbis.indexOf(item ?? "");
    const index = Math.min(Math.max(indexFrom(at, pbis.length - 1), 0), pbis.length - 1);
    const other = pbis[index]?.slice("pbi:".length);
    if (!item || at === -1 || index === at || !other) return at !== -1;
    change([item], index < at ? { before_id: other } : { after_id: other });
    focusRow(item);
    return true;
  };
  return [
    { keys: "Alt+ArrowUp", label: "Move PBI up", run: to((at) => at - 1) },
    { keys: "Alt+ArrowDown", label: "Move PBI down", run: to((at) => at + 1) },
    { keys: "Alt+Shift+ArrowUp", label: "Move PBI to the top", run: to(() => 0) },
    { keys: "Alt+Shift+ArrowDown", label: "Move PBI to the bottom", run: to((_, last) => last) },
  ];
}
