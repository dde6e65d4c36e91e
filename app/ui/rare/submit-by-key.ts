import type { KeyboardEvent } from "react";

/** `Ctrl Enter` (`⌘ Enter`) in any field of a form presses its first button that sends it. */
export function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  const button = event.currentTarget.querySelector<HTMLButtonElement>(
    "button[type=submit]:not(:disabled)",
  );
  if (event.shiftKey) event.currentTarget.dataset.again = "1";
  event.currentTarget.requestSubmit(button);
}
