import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { IconButton } from "~/ui/button";
import { Icon } from "~/ui/icon";

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  /** No visible heading, for the palette. */
  bare?: boolean;
}

/** A modal native dialog: traps and restores focus, closes with Esc and makes the rest inert. */
export function Dialog({ title, open, onClose, children, bare = false }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) {
      dialog.showModal();
      // React's autoFocus runs before the dialog is shown and has no effect.
      dialog.querySelector<HTMLElement>("[data-focus-first]")?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  // Only a dialog that is closed while it is in the page returns the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label={title}
      className="modal"
      onClose={onClose}
      // Before it is hidden: a key right after Esc that opens it again would be undone by the later `close`. The choice of
      // a file in it sends `cancel`, too.
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === ref.current && onClose()}
      // A closed dialog keeps the focus until the next frame. Keys in between belong to the page.
      onKeyDown={(event) => event.currentTarget.open && event.stopPropagation()}
    >
      {bare ? null : (
        <header className="flex items-center justify-between border-b border-line py-2 pr-2 pl-4">
          <h2 className="text-base font-semibold">{title}</h2>
          <IconButton label="Close" onClick={onClose}>
            <Icon name="x" />
          </IconButton>
        </header>
      )}
      {open ? children : null}
    </dialog>
  );
}
