import { useFetcher, useNavigate } from "@remix-run/react";
import { lazy, type MutableRefObject, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { mostRunItems, runAddress } from "~/features/runs/start-run";
import { type ActionResult, useResultToast } from "~/ui/action-result";
import { enhancedField } from "~/ui/form-fields";
import { showToast } from "~/ui/toast";
import { useWriteAccess } from "~/ui/write-access";
import { focusRow, itemOf, lineOf, linkOf, watchRows } from "./active-row";
import { actionsFor, copyItem, isCopy, offerItemActions } from "./item-actions";
import type { OpenMenu } from "./item-menu";
import type { ItemKeysProps, OwnPeek } from "./row-actions";
import type { OpenRowMenu } from "./row-menu";
import { clearSelection, kindOf, selectedItems, toggleSelected, useSelected } from "./selection";
import { type Change, useChanges } from "./use-changes";
import { closeOnRelease, useItemKeys } from "./use-item-keys";

const loadMenu = () => import("./item-menu");
const SelectionBar = lazy(() => import("./selection-bar"));
const loadPeek = () => import("./peek");
const Peek = lazy(loadPeek);

/** Number of opened menus. A menu's close event may arrive after its key has opened the next one. */
let openings = 0;

/** Single keys for the highlighted row or the selection, and what they open: menus, bar and peek load on demand. */
export default function ItemKeys({ productId, without = "", ownPeek }: ItemKeysProps) {
  const { canWrite } = useWriteAccess();
  const { change, trackers } = useChanges();
  const selected = useSelected();
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const ItemMenu = useItemMenu();
  const [peeked, setPeeked] = useState<string | null>(null);
  const peek = useMemo<OwnPeek>(() => ownPeek ?? { open: peeked, show: setPeeked }, [ownPeek, peeked]);
  const latestPeek = useRef(peek);
  latestPeek.current = peek;
  useEffect(() => watchRows(), []);
  useEffect(() => keepFocusOfRows(), []);
  useEffect(() => clearSelection, []);
  useEffect(() => closeOnRelease(() => latestPeek.current.open && latestPeek.current.show(null)), []);
  useTryLinks(latestPeek);

  const isReady = ItemMenu !== undefined;
  const start = useStartRun(productId);
  useItemActions({ canWrite, change, start, peek: latestPeek, onMenu: setMenu });
  useItemKeys({ isReady, without, canWrite, change, peek: latestPeek });

  return (
    <>
      {trackers}
      {isReady ? <span hidden data-item-keys /> : null}
      {menu && ItemMenu ? (
        <ItemMenu
          key={menu.opening}
          menu={menu}
          productId={productId}
          onChange={change}
          onClose={() => setMenu((now) => (now === menu ? null : now))}
        />
      ) : null}
      <ActiveRowMenu />
      {selected.size > 0 ? (
        <Suspense>
          <SelectionBar selected={selected} />
        </Suspense>
      ) : null}
      {peeked && !ownPeek ? (
        <Suspense fallback={<button type="button" hidden data-close onClick={() => setPeeked(null)} />}>
          <Peek item={peeked} onClose={() => setPeeked(null)} />
        </Suspense>
      ) : null}
    </>
  );
}

interface ActionEnds {
  canWrite: boolean;
  change: Change;
  start: (items: readonly string[]) => void;
  peek: MutableRefObject<OwnPeek>;
  onMenu: (menu: OpenMenu) => void;
}

function useItemActions({ canWrite, change, start, peek, onMenu }: ActionEnds) {
  const run = useCallback<Parameters<typeof offerItemActions>[0]>(
    (name, items, row, back) => {
      const [first] = items;
      if (!first || !actionsFor(items, canWrite).some((action) => action.name === name)) return;
      if (name === "select") {
        for (const item of items) toggleSelected(item);
        focusRow(first);
      } else if (name === "peek") {
        const { open, show } = peek.current;
        show(open === first ? null : first);
        if (open === null) focusRow(first);
      } else if (isCopy(name)) {
        void copyItem(name, first, row);
      } else if (name === "pull") {
        openPull(row);
      } else if (name === "mine") {
        change(items, { assignee_id: "me" });
      } else if (name === "run") {
        start(items);
      } else {
        openings += 1;
        onMenu({ action: name, items, row, back, opening: openings });
      }
    },
    [canWrite, change, start, peek, onMenu],
  );
  useEffect(() => offerItemActions(run), [run]);
}

/** The link is in the item's card or on its page. */
function openPull(row: HTMLElement | null): void {
  const link = (row ?? document).querySelector<HTMLAnchorElement>("a[data-pull]");
  if (link) window.open(link.href, "_blank", "noreferrer");
  else showToast("There is no pull request.");
}

/** A card's link starts the preview of its work, and the peek shows what becomes of it. */
function useTryLinks(peek: MutableRefObject<OwnPeek>): void {
  const { data, submit } = useFetcher<ActionResult>();
  useResultToast(data);
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLElement>("a[data-try]") : null;
      const item = itemOf(lineOf(link));
      if (!link || !item || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      peek.current.show(item);
      const action = `/jobs/${link.dataset.try}/preview`;
      submit({ intent: "start", [enhancedField]: "1" }, { method: "post", action });
    };
    document.addEventListener("click", onClick, true);
    return () => document.removeEventListener("click", onClick, true);
  }, [peek, submit]);
}

/** Opens what a run of tasks and stories may take, where it is started. */
function useStartRun(productId: string) {
  const navigate = useNavigate();
  return useCallback(
    (items: readonly string[]) => {
      const chosen = items.filter((item) => kindOf(item) !== "pbi");
      if (chosen.length > mostRunItems) {
        showToast(`Choose at most ${mostRunItems} tasks and stories for a run.`, "failed");
        return;
      }
      navigate(runAddress(productId, chosen));
    },
    [navigate, productId],
  );
}

/** Not `lazy`, which renders a moment later: characters typed right after the key belong to the menu. */
function useItemMenu() {
  const [ItemMenu, setItemMenu] = useState<Awaited<ReturnType<typeof loadMenu>>["default"]>();
  useEffect(() => {
    loadMenu().then(
      (module) => setItemMenu(() => module.default),
      () => {
        // Offline, rows have no keys; the rest of the page works.
      },
    );
  }, []);
  return ItemMenu;
}

/** Restores focus to a row that is rendered elsewhere after a change, once focus is lost and no one has clicked. */
function keepFocusOfRows(): () => void {
  let item: string | null = null;
  const onFocus = ({ target }: FocusEvent) => {
    item = itemOf(lineOf(target));
  };
  const onPointer = () => {
    item = null;
  };
  const observer = new MutationObserver(() => {
    if (item === null || document.activeElement !== document.body) return;
    linkOf(item)?.focus({ preventScroll: true });
  });
  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", onPointer);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", onPointer);
  };
}

const RowMenu = lazy(() => import("./row-menu"));

function ActiveRowMenu() {
  const [menu, setMenu] = useState<OpenRowMenu | null>(null);
  const close = useCallback(() => setMenu(null), []);
  useEffect(() => onRowMenu(setMenu), []);
  if (!menu) return null;
  return (
    <Suspense>
      <RowMenu key={`${menu.x} ${menu.y} ${menu.items.join(" ")}`} menu={menu} onClose={close} />
    </Suspense>
  );
}

/** Opens on right click or the menu key on a row. With Shift, on touch and on selected text the native menu opens. */
function onRowMenu(show: (menu: OpenRowMenu) => void): () => void {
  const onMenu = (event: MouseEvent) => {
    const row = lineOf(event.target);
    const own = itemOf(row);
    const isTouch = "pointerType" in event && event.pointerType === "touch";
    if (!row || !own || event.shiftKey || isTouch || String(window.getSelection()) !== "") return;
    event.preventDefault();
    const chosen = selectedItems();
    const items = chosen.has(own) ? [...chosen] : [own];
    show({ items, row, x: event.clientX, y: event.clientY });
  };
  document.addEventListener("contextmenu", onMenu);
  return () => document.removeEventListener("contextmenu", onMenu);
}
