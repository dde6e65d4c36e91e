import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { lineOf, thingOf } from "./at-hand";
import type { OpenRowMenu } from "./row-menu";
import { selectedThings } from "./selection";

const RowMenu = lazy(() => import("./row-menu"));

/** The menu of the second button; it is loaded when somebody asks for it. */
export function RowMenuAtHand() {
  const [menu, setMenu] = useState<OpenRowMenu | null>(null);
  const close = useCallback(() => setMenu(null), []);
  useEffect(() => onRowMenu(setMenu), []);
  if (!menu) return null;
  return (
    <Suspense>
      <RowMenu key={`${menu.x} ${menu.y} ${menu.things.join(" ")}`} menu={menu} onClose={close} />
    </Suspense>
  );
}

/** The second button, or the menu key, at a row; with Shift, on a touch screen and on marked text it is the browser's. */
function onRowMenu(show: (menu: OpenRowMenu) => void): () => void {
  const onMenu = (event: MouseEvent) => {
    const row = lineOf(event.target);
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
