import { useNavigate } from "@remix-run/react";
import { useEffect } from "react";

let pasted = "";

/** Keeps a text for the panel that creates stories and tasks from it. */
export function keepPasted(text: string): void {
  pasted = text;
}

/** Returns the pasted or selected text, once. */
export function takePasted(): string {
  const text = pasted;
  pasted = "";
  return text;
}

/** Pasting several lines outside of a field opens the panel that creates stories from them. */
export function useListPaste(toPanel: string): void {
  const navigate = useNavigate();
  useEffect(() => {
    const listen = (event: ClipboardEvent) => {
      const { target } = event;
      if (target instanceof HTMLElement && target.closest("input, textarea, select, dialog"))
        return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!text.trim().includes("\n")) return;
      keepPasted(text);
      navigate(toPanel, { preventScrollReset: true });
    };
    document.addEventListener("paste", listen);
    return () => document.removeEventListener("paste", listen);
  }, [navigate, toPanel]);
}
