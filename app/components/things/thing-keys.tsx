import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type PageKey, pressEdit, usePageKeys } from "../page-keys";
import { useWriteAccess } from "../write-access";
import { focusRow, isPageThing, orderOnPage, rowAtHand, thingOf, watchRows } from "./at-hand";
import { keepFocusOfRows } from "./keep-focus";
import type { OpenRowMenu } from "./row-menu";
import {
  clearSelection,
  selectAll,
  selectedThings,
  selectRange,
  toggleSelected,
  useSelected,
} from "./selection";
import { actionsFor, offerThingActions, runThingAction, thingActions } from "./thing-actions";
import type { OpenMenu } from "./thing-menu";
import type { OwnPeek, ThingKeysProps } from "./things-at-hand";
import { useChanges } from "./use-changes";

const loadMenu = () => import("./thing-menu");
const SelectionBar = lazy(() => import("./selection-bar"));
const RowMenu = lazy(() => import("./row-menu"));
const Peek = lazy(() => import("./peek"));

/**
 * Single keys for the highlighted row, or for all that are selected, without opening any; the menus that they open, the bar
 * for pointer and thumb, and the peek beside the list. Menus, bar and peek are loaded when somebody asks for them.
 */
export default function ThingKeys({ productId, without = "", ownPeek }: ThingKeysProps) {
  const { canWrite } = useWriteAccess();
  const { change, trackers } = useChanges();
  const selected = useSelected();
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  // Not by `lazy`, which draws it a moment later: what is typed right after a key is for the menu.
  const [ThingMenu, setThingMenu] = useState<Awaited<ReturnType<typeof loadMenu>>["default"]>();
  const [rowMenu, setRowMenu] = useState<OpenRowMenu | null>(null);
  const closeRowMenu = useCallback(() => setRowMenu(null), []);
  const [peeked, setPeeked] = useState<string | null>(null);
  const peek = useMemo<OwnPeek>(
    () => ownPeek ?? { open: peeked, show: setPeeked },
    [ownPeek, peeked],
  );
  const latestPeek = useRef(peek);
  latestPeek.current = peek;
  useEffect(() => watchRows(), []);
  useEffect(() => keepFocusOfRows(), []);
  useEffect(() => {
    loadMenu().then(
      (module) => setThingMenu(() => module.default),
      () => {
        // Without network there are no keys for rows; the page works without.
      },
    );
  }, []);
  useEffect(() => clearSelection, []);
  useEffect(() => onRowMenu(setRowMenu), []);

  const run = useCallback<Parameters<typeof offerThingActions>[0]>(
    (name, things, row) => {
      const [first] = things;
      if (!first || !actionsFor(things, canWrite).some((action) => action.name === name)) return;
      if (name === "select") {
        for (const thing of things) toggleSelected(thing);
        focusRow(first);
      } else if (name === "peek") {
        const { open, show } = latestPeek.current;
        show(open === first ? null : first);
        if (open === null) focusRow(first);
      } else if (name === "mine") {
        change(things, { assignee_id: "me" });
      } else {
        openings += 1;
        setMenu({ action: name, things, row, opening: openings });
      }
    },
    [canWrite, change],
  );
  useEffect(() => offerThingActions(run), [run]);

  const keys = useMemo<PageKey[]>(() => {
    const single = thingActions.filter(({ key }) => !without.includes(key));
    return [
      ...single.map(({ name, key, label }) => ({
        keys: key,
        label: label.replace("…", ""),
        run: () => pressed(name),
      })),
      { keys: "Shift+ArrowDown", label: "Select the next row too", run: () => extend(1) },
      { keys: "Shift+ArrowUp", label: "Select the row before too", run: () => extend(-1) },
      { keys: "$mod+a", label: "Select all rows of this kind", run: all },
      ...(canWrite ? orderKeys(change) : []),
      { keys: "ArrowDown", label: "Peek at the next row", run: () => walk(latestPeek.current, 1) },
      { keys: "ArrowUp", label: "Peek at the row before", run: () => walk(latestPeek.current, -1) },
    ];
  }, [without, canWrite, change]);
  usePageKeys("Highlighted row or selection", ThingMenu ? keys : none);

  return (
    <>
      {trackers}
      {ThingMenu ? <span hidden data-thing-keys /> : null}
      {menu && ThingMenu ? (
        <ThingMenu
          key={menu.opening}
          menu={menu}
          productId={productId}
          onChange={change}
          onClose={() => setMenu((now) => (now === menu ? null : now))}
        />
      ) : null}
      {rowMenu ? (
        <Suspense>
          <RowMenu
            key={`${rowMenu.x} ${rowMenu.y} ${rowMenu.things.join(" ")}`}
            menu={rowMenu}
            onClose={closeRowMenu}
          />
        </Suspense>
      ) : null}
      {selected.size > 0 ? (
        <Suspense>
          <SelectionBar selected={selected} />
        </Suspense>
      ) : null}
      {peeked && !ownPeek ? (
        <Suspense>
          <Peek thing={peeked} onClose={() => setPeeked(null)} />
        </Suspense>
      ) : null}
    </>
  );
}

const none: readonly PageKey[] = [];

/** A menu says that it has closed a moment later, when its key may have opened the next one. */
let openings = 0;

/** A key means the selection, else the highlighted row. `e` also means a text that is edited in place. */
function pressed(name: (typeof thingActions)[number]["name"]): boolean {
  const row = rowAtHand();
  const own = thingOf(row);
  const active = document.activeElement;
  const ofPage = isPageThing(row);
  if (name === "title" && (!own || ofPage || active?.closest("[data-editable]")))
    return pressEdit();
  if (ofPage && (name === "select" || name === "peek" || name === "waits")) return false;
  if (name === "peek" && active?.matches("button, summary, [role=button]")) return false;
  const chosen = [...selectedThings()];
  const isAbout =
    chosen.length > 0 &&
    name !== "select" &&
    name !== "peek" &&
    name !== "title" &&
    name !== "waits";
  const things = isAbout ? chosen : own ? [own] : [];
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
  if (thing) selectAll(thing.split(":")[0] ?? "");
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

/** The second button, or the menu key, at a row; with Shift, on a touch screen and on marked text it is the browser's. */
function onRowMenu(show: (menu: OpenRowMenu) => void): () => void {
  const onMenu = (event: MouseEvent) => {
    const row =
      event.target instanceof Element ? event.target.closest<HTMLElement>("[data-line]") : null;
    const own = thingOf(row);
    const isTouch = "pointerType" in event && event.pointerType === "touch";
    if (!row || !own || event.shiftKey || isTouch || String(window.getSelection()) !== "") return;
    event.preventDefault();
    const chosen = selectedThings();
    const things = chosen.has(own) ? [...chosen] : [own];
    show({ things, row, x: event.clientX, y: event.clientY });
  };
  document.addEventListener("contextmenu", onMenu);
  return () => document.removeEventListener("contextmenu", onMenu);
}

/** A PBI one place up or down, or all the way, among the PBIs of the page. */
function orderKeys(change: ReturnType<typeof useChanges>["change"]): PageKey[] {
  const to = (placeOf: (at: number, last: number) => number) => () => {
    const thing = thingOf(rowAtHand());
    const pbis = orderOnPage().filter((line) => line.startsWith("pbi:"));
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
