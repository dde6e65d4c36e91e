import type { KeyboardEvent } from "react";
import { againField } from "~/ui/again-field";

/**
 * `Ctrl Enter` (`⌘ Enter`) in any field of a form presses its first button that sends it; with Shift the one that opens the
 * form again, where there is one.
 */
export function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  const form = event.currentTarget;
  const press = "button[type=submit]:not(:disabled)";
  const again = event.shiftKey ? form.querySelector(`${press}[name=${againField}]`) : null;
  form.requestSubmit(again instanceof HTMLElement ? again : form.querySelector<HTMLElement>(press));
}
