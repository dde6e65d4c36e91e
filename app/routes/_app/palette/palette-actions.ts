import { activeRow, focusRow, isPageItem, itemOf } from "~/features/items/active-row";
import { actionsFor, itemActions, rowGroup, runItemAction } from "~/features/items/item-actions";
import { selectedItems } from "~/features/items/selection";
import { opensMore } from "~/ui/menu";
import { type PageKey, pressEdit, type useShownKeys } from "~/ui/page-keys";
import type { Entry } from "./palette-parts";

interface ActiveItems {
  items: readonly string[];
  row: HTMLElement | null;
}

/** Returns what the palette acts on: the selection, otherwise the highlighted row, otherwise the page's item. */
export function activeItems(): ActiveItems {
  const row = activeRow();
  const own = itemOf(row);
  const selected = [...selectedItems()];
  return { items: selected.length > 0 ? selected : own ? [own] : [], row };
}

/** Closes the palette, then acts once it has returned the focus. */
export type Then = (act: () => unknown) => void;

export function itemEntries({ items, row }: ActiveItems, canWrite: boolean, then: Then, onReopen: () => void): Entry[] {
  if (items.length === 0) return [];
  const ofPage = items.length === 1 && isPageItem(row);
  const about =
    items.length === 1 ? (row?.querySelector("[data-code]")?.textContent ?? "This") : `${items.length} selected`;
  return actionsFor(items, canWrite)
    .filter(({ name }) => !ofPage || (name !== "select" && name !== "peek"))
    .map(({ name, label, key }) => ({
      key: `item ${name}`,
      group: about,
      name: label.replace("…", ""),
      shown: label,
      words: about,
      press: key,
      run: () => then(() => (ofPage && name === "title" ? pressEdit() : runItemAction(name, items, row, onReopen))),
    }));
}

/** Row keys not listed in the row's group; none without a row. They focus it first: no mouse is over it now. */
function ofRow(keys: readonly PageKey[], first: string | undefined): readonly PageKey[] {
  if (!first) return [];
  const shown = new Set(itemActions.map(({ key }) => key));
  return keys
    .filter(({ keys: press }) => !shown.has(press))
    .map((key) => ({
      ...key,
      run: () => {
        focusRow(first);
        return key.run();
      },
    }));
}

const withoutLine = new Set(["Search and actions", "Next row", "Previous row", "Close"]);

/** What people type for a button that is called otherwise. */
const alsoCalled: Readonly<Record<string, string>> = {
  "Sign out": "log out leave",
  "Repeat this story": "recurring schedule template",
  "Change the schedule": "recurring repeat template",
};

/** Everything the page has buttons, menus and keys for. */
export function pageEntries(
  actions: readonly PageAction[],
  shown: ReturnType<typeof useShownKeys>,
  [first]: readonly string[],
  then: Then,
): Entry[] {
  const group = "On this page";
  const buttons = actions.map(({ label, press }) => ({
    key: `do ${label}`,
    group,
    name: label,
    words: alsoCalled[label] ?? "do",
    run: () => then(press),
  }));
  const listed = new Set(actions.map(({ label }) => label));
  const keys = shown
    .flatMap(({ group: of, keys: each }) => (of === rowGroup ? ofRow(each, first) : each))
    .filter(({ keys: press, label }) => {
      if (press.startsWith("g ") || withoutLine.has(label) || listed.has(label)) return false;
      return listed.add(label);
    })
    .map(({ keys: press, label, run }) => ({
      key: `key ${label}`,
      group,
      name: label,
      words: "key",
      press,
      run: () => then(() => run()),
    }));
  return [...buttons, ...keys];
}

export interface PageAction {
  label: string;
  press: () => void;
}

/** Excluded: rows have their own menus, and these parts are used in place. */
const elsewhere = "[data-line], [role=toolbar], [data-columns], dialog, nav, form[action='/active-product']";

/** Derived from the page and its menus, so nothing is missing and no second list is maintained. */
export function pageActions(): PageAction[] {
  const found = new Map<string, HTMLElement>();
  const pressable = document.querySelectorAll<HTMLElement>(
    "main :is(button, summary, a[role=button], a[data-button]), header [data-menu-item], main [data-menu-item]",
  );
  for (const element of pressable) {
    const isMenuItem = element.hasAttribute("data-menu-item");
    if (element.matches(":disabled") || element.closest(elsewhere)) continue;
    if (!isMenuItem && !element.checkVisibility()) continue;
    const label = (element.getAttribute("aria-label") ?? element.textContent ?? "").replace(/\s+/g, " ").trim();
    if (label !== "" && label.length <= 80 && !found.has(label)) found.set(label, element);
  }
  return [...found].map(([label, element]) => ({ label, press: () => press(element) }));
}

/** Submenus are visible only while their menu is open. */
function press(element: HTMLElement) {
  const menu = element.closest<HTMLElement>("[popover]");
  if (menu && element.matches(opensMore) && !menu.matches(":popover-open")) menu.showPopover();
  element.click();
}

const longestWaitMs = 15_000;

/** Clicks the button with this label as soon as it appears on the page being loaded. */
export function pressOnceThere(label: string): void {
  const find = () => pageActions().find((action) => action.label === label);
  const watching = new MutationObserver(() => {
    const found = find();
    if (!found) return;
    watching.disconnect();
    found.press();
  });
  watching.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watching.disconnect(), longestWaitMs);
}
