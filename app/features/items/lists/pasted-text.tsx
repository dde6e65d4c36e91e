import { useNavigate } from "@remix-run/react";
import { useEffect, useState } from "react";
import { Button } from "~/ui/button";
import { useWriteAccess } from "~/ui/write-access";

let pasted = "";

function keepPasted(text: string): void {
  pasted = text;
}

/** The pasted or selected text. Reading it changes nothing: React may throw the render that read it away. */
export const pastedText = (): string => pasted;

export function forgetPasted(): void {
  pasted = "";
}

/** Pasting several lines outside of a field opens the panel that creates stories from them. */
export function useListPaste(toPanel: string): void {
  const navigate = useNavigate();
  useEffect(() => {
    const listen = (event: ClipboardEvent) => {
      const { target } = event;
      if (target instanceof HTMLElement && target.closest("input, textarea, select, dialog")) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!text.trim().includes("\n")) return;
      keepPasted(text);
      navigate(toPanel, { preventScrollReset: true });
    };
    document.addEventListener("paste", listen);
    return () => document.removeEventListener("paste", listen);
  }, [navigate, toPanel]);
}

/** Creates tasks from text selected in a description, plan or log, through the same panel as a pasted list. */
export function TasksOfSelection({ productId, storyId }: { productId: string; storyId: string }) {
  const navigate = useNavigate();
  const { canWrite } = useWriteAccess();
  const text = useChosenText();
  if (!canWrite || text === "") return null;
  return (
    <div
      role="toolbar"
      aria-label="Selected text"
      className="fixed inset-x-3 bottom-20 z-20 mx-auto flex w-fit items-center gap-2 rounded-lg border border-accent bg-raised px-4 py-2.5 text-sm shadow-pop select-none lg:bottom-4"
    >
      <Button
        // Keeps the text selected: losing it would remove this button.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => {
          keepPasted(text);
          navigate(`/products/${productId}/backlog?panel=paste&into=story:${storyId}`);
        }}
      >
        Create tasks from selection
      </Button>
    </div>
  );
}

function useChosenText(): string {
  const [text, setText] = useState("");
  useEffect(() => {
    const listen = () => setText(chosenText());
    document.addEventListener("selectionchange", listen);
    return () => document.removeEventListener("selectionchange", listen);
  }, []);
  return text;
}

/** A triple click on the last line ends outside of the text, so the selection's start decides. */
function chosenText(): string {
  const chosen = getSelection();
  const begin = chosen?.anchorNode;
  const element = begin instanceof Element ? begin : begin?.parentElement;
  return element?.closest(".prose") ? String(chosen).trim() : "";
}
