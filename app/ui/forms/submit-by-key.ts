import type { KeyboardEvent } from "react";
import { againField } from "~/ui/form-fields";

/**
 * `Ctrl Enter` (`⌘ Enter`) in any field submits the form with its first submit button; with Shift, with the button that
 * opens the form again, if there is one.
 */
export function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  const form = event.currentTarget;
  const press = "button[type=submit]:not(:disabled)";
  const again = event.shiftKey ? form.querySelector(`${press}[name=${againField}]`) : null;
  form.requestSubmit(again instanceof HTMLElement ? again : form.querySelector<HTMLElement>(press));
}
