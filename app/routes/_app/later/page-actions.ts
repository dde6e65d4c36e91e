import { opensMore } from "~/ui/menu";

export interface PageAction {
  label: string;
  press: () => void;
}

/** Rows have menus of their own, and what changes the page's own part is pressed where it stands. */
const elsewhere =
  "[data-line], [role=toolbar], [data-columns], dialog, nav, form[action='/active-product']";

/**
 * Everything that can be pressed on this page and in its menus, as the page shows it: so nothing can be missing here, and
 * nobody keeps a second list.
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

/** What opens further things in its menu is seen only when the menu is. */
function press(element: HTMLElement) {
  const menu = element.closest<HTMLElement>("[popover]");
  if (menu && element.matches(opensMore) && !menu.matches(":popover-open")) menu.showPopover();
  element.click();
}

const longestWaitMs = 15_000;

/** Presses what is called so on the page that is coming, as soon as it is there. */
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
