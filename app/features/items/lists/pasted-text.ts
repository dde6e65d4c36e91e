import { useNavigate } from "@remix-run/react";
import { useEffect } from "react";

let pasted = "";

/** Keeps a text for the panel that makes stories and tasks of it. */
export function keepPasted(text: string): void {
  pasted = text;
}

/** What was pasted onto a page or chosen there, once. */
export function takePasted(): string {
  const text = pasted;
  pasted = "";
  return text;
}

/** Several lines pasted where nothing is being typed open the panel that makes stories of them. */
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
