import { opensMore } from "~/ui/menu";

export interface PageAction {
  label: string;
  press: () => void;
}

/** Excluded: rows have their own menus, and these parts are used in place. */
const elsewhere =
  "[data-line], [role=toolbar], [data-columns], dialog, nav, form[action='/active-product']";

/**
 * Returns every button on this page and in its menus, with its label. Derived from the page, so nothing is missing and
 * no second list is maintained.
 */
export function pageActions(): PageAction[] {
  const found = new Map<string, HTMLElement>();
  const pressable = document.querySelectorAll<HTMLElement>(
    "main :is(button, summary, a[role=button], a[data-button]), header [data-menu-item], main [data-menu-item]",
  );
  for (const element of pressable) {
    const isMenuItem = element.hasAttribute("data-menu-item");
    if (element.matches(":disabled") || element.closest(elsewhere)) continue;
    if (!isMenuItem && !element.checkVisibility()) continue;
    const label = (element.getAttribute("aria-label") ?? element.textContent ?? "")
      .replace(/\s+/g, " ")
      .trim();
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
