import type { PageKey } from "../page-keys";
import { focusRow, orderOnPage, rowAtHand, thingOf } from "./at-hand";
import { ofKind } from "./kinds";
import type { Change } from "./use-changes";

/** A PBI one place up or down, or all the way, among the PBIs of the page. */
export function orderKeys(change: Change): PageKey[] {
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
    { keys: "Alt+ArrowUp", label: "PBI one up", run: to((at) => at - 1) },
    { keys: "Alt+ArrowDown", label: "PBI one down", run: to((at) => at + 1) },
    { keys: "Alt+Shift+ArrowUp", label: "PBI to the top", run: to(() => 0) },
    { keys: "Alt+Shift+ArrowDown", label: "PBI to the bottom", run: to((_, last) => last) },
  ];
}
