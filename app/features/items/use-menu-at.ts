import { useEffect, useLayoutEffect, useRef } from "react";

/** Position of a menu, and the space to reserve if it grows after opening. */
type MenuPosition = { x: number; y: number; width?: number; height?: number };

/** Opens a menu at a point, focuses it, and reports when it closes. On phones it is at the bottom of the page. */
export function useMenuAt(position: MenuPosition | null, onClose: () => void) {
  const ref = useRef<HTMLDivElement>(null);
  const wanted = useRef(position);
  useLayoutEffect(() => {
    const menu = ref.current;
    if (!menu) return;
    menu.showPopover();
    // Popovers are in the top layer, so CSS cannot place them next to the row.
    if (wanted.current && window.innerWidth >= 640) positionMenu(menu, wanted.current);
    const first = menu.querySelector<HTMLElement>("[data-focus-first], [data-menu-item]");
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
  }, []);
  useEffect(() => {
    const menu = ref.current;
    const onToggle = (event: Event) => {
      if ("newState" in event && event.newState === "closed") onClose();
    };
    menu?.addEventListener("toggle", onToggle);
    return () => menu?.removeEventListener("toggle", onToggle);
  }, [onClose]);
  return ref;
}

function positionMenu(menu: HTMLElement, { x, y, width, height }: MenuPosition) {
  const { offsetWidth, offsetHeight } = menu;
  const left = Math.max(Math.min(x, window.innerWidth - (width ?? offsetWidth) - 8), 8);
  const top = Math.max(Math.min(y, window.innerHeight - (height ?? offsetHeight) - 8), 8);
  menu.style.setProperty("position-area", "none");
  menu.style.setProperty("inset", `${top}px auto auto ${left}px`);
}
