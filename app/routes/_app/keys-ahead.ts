import { useLayoutEffect } from "react";

let typed = "";

/** Collects what someone types while an overlay's code loads: the page would take it for its shortcuts. */
export function KeysAhead({ onClose }: { onClose: () => void }): null {
  useLayoutEffect(() => {
    typed = "";
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.key === "Escape") onClose();
      else if (event.key === "Backspace") typed = typed.slice(0, -1);
      else if (event.key.length === 1) typed += event.key;
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [onClose]);
  return null;
}

/** The first text of the overlay. Reading it changes nothing: React may throw the render that read it away. */
export const typedAhead = (): string => typed;

export function forgetTyped(): void {
  typed = "";
}
