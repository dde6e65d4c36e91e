import { type MutableRefObject, useMemo } from "react";
import { type PageKey, pressEdit, usePageKeys } from "../page-keys";
import { focusRow, isPageThing, orderOnPage, rowAtHand, thingOf } from "./at-hand";
import { kindOf } from "./kinds";
import { orderKeys } from "./order-keys";
import { selectAll, selectedThings, selectRange, toggleSelected } from "./selection";
import { runThingAction, type ThingAction, thingActions } from "./thing-actions";
import type { OwnPeek } from "./things-at-hand";
import type { Change } from "./use-changes";

const none: readonly PageKey[] = [];

/** The keys that mean the highlighted row, or all that are selected. */
export function useThingKeys({
  isReady,
  without,
  canWrite,
  change,
  peek,
}: {
  isReady: boolean;
  /** Keys that mean something else on this page. */
  without: string;
  canWrite: boolean;
  change: Change;
  peek: MutableRefObject<OwnPeek>;
}): void {
  const keys = useMemo<PageKey[]>(() => {
    const actions = thingActions.filter(({ key }) => !without.includes(key));
    return [
      ...actions.map((action) => ({
        keys: action.key,
        label: action.label.replace("…", ""),
        run: () => pressed(action),
      })),
      { keys: "Shift+ArrowDown", label: "Select the next row too", run: () => extend(1) },
      { keys: "Shift+ArrowUp", label: "Select the row before too", run: () => extend(-1) },
      { keys: "$mod+a", label: "Select all rows of this kind", run: all },
      ...(canWrite ? orderKeys(change) : []),
      { keys: "ArrowDown", label: "Peek at the next row", run: () => walk(peek.current, 1) },
      { keys: "ArrowUp", label: "Peek at the row before", run: () => walk(peek.current, -1) },
    ];
  }, [without, canWrite, change, peek]);
  usePageKeys("Highlighted row or selection", isReady ? keys : none);
}

/** A key means the selection, else the highlighted row. `e` also means a text that is edited in place. */
function pressed({ name, single }: ThingAction): boolean {
  const row = rowAtHand();
  const own = thingOf(row);
  const active = document.activeElement;
  const ofPage = isPageThing(row);
  if (name === "title" && (!own || ofPage || active?.closest("[data-editable]")))
    return pressEdit();
  if (ofPage && (name === "select" || name === "peek" || name === "waits")) return false;
  if (name === "peek" && active?.matches("button, summary, [role=button]")) return false;
  const chosen = single || name === "select" ? [] : [...selectedThings()];
  const things = chosen.length > 0 || !own ? chosen : [own];
  if (things.length === 0) return false;
  runThingAction(name, things, row);
  return true;
}

function extend(step: 1 | -1): boolean {
  const thing = thingOf(rowAtHand());
  const next = neighbour(thing, step);
  if (!thing || !next) return false;
  if (!selectedThings().has(thing)) toggleSelected(thing);
  selectRange(next);
  focusRow(next);
  return true;
}

function all(): boolean {
  const thing = thingOf(rowAtHand());
  if (thing) selectAll(kindOf(thing));
  return thing !== null;
}

function walk(peek: OwnPeek, step: 1 | -1): boolean {
  const next = peek.open ? neighbour(peek.open, step) : null;
  if (!next) return false;
  peek.show(next);
  focusRow(next);
  return true;
}

function neighbour(thing: string | null, step: 1 | -1): string | null {
  if (!thing) return null;
  const order = orderOnPage();
  return order[order.indexOf(thing) + step] ?? null;
}
