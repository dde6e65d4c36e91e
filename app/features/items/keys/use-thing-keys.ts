import { type MutableRefObject, useMemo } from "react";
import { type PageKey, pressEdit, usePageKeys } from "~/ui/page-keys";
import { focusRow, isPageThing, orderOnPage, rowAtHand, thingOf } from "../at-hand";
import { kindOf, ofKind } from "../kinds";
import { selectAll, selectedThings, selectRange, toggleSelected } from "../selection";
import { runThingAction, type ThingAction, thingActions } from "../thing-actions";
import type { OwnPeek } from "../things-at-hand";
import type { Change } from "../use-changes";

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
      { keys: "Shift+ArrowUp", label: "Select the previous row too", run: () => extend(-1) },
      { keys: "$mod+a", label: "Select all rows of this type", run: all },
      ...(canWrite ? orderKeys(change) : []),
      { keys: "ArrowDown", label: "Peek at the next row", run: () => walk(peek.current, 1) },
      { keys: "ArrowUp", label: "Peek at the previous row", run: () => walk(peek.current, -1) },
    ];
  }, [without, canWrite, change, peek]);
  usePageKeys("Row or selection", isReady ? keys : none);
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

/** A PBI one place up or down, or all the way, among the PBIs of the page. */
function orderKeys(change: Change): PageKey[] {
  const to = (placeOf: (at: number, last: number) => number) => () => {
    const thing = thingOf(rowAtHand());
    const pbis = ofKind(orderOnPage(), "pbi");
    const at = pbis.indexOf(thing ?? "");
    const place = Math.min(Math.max(placeOf(at, pbis.length - 1), 0), pbis.length - 1);
    const other = pbis[place]?.slice("pbi:".length);
    if (!thing || at === -1 || place === at || !other) return at !== -1;
    change([thing], place < at ? { before_id: other } : { after_id: other });
    focusRow(thing);
    return true;
  };
  return [
    { keys: "Alt+ArrowUp", label: "Move PBI up", run: to((at) => at - 1) },
    { keys: "Alt+ArrowDown", label: "Move PBI down", run: to((at) => at + 1) },
    { keys: "Alt+Shift+ArrowUp", label: "Move PBI to the top", run: to(() => 0) },
    { keys: "Alt+Shift+ArrowDown", label: "Move PBI to the bottom", run: to((_, last) => last) },
  ];
}
