import { type RefObject, useEffect, useRef } from "react";
import { useHydrated } from "remix-utils/use-hydrated";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Replays what was typed before hydration as input and change events. Trap: forms that submit on change need
 * `autoComplete="off"`, or values that the browser restores from the last visit would be submitted.
 */
export function useEarlierChoices(area: RefObject<HTMLElement>): void {
  const hydrated = useHydrated();
  const found = useRef<readonly (() => void)[]>([]);
  useEffect(() => {
    if (!area.current) return;
    if (!hydrated) {
      found.current = changedFields(area.current).map(choiceOf);
      return;
    }
    const choices = found.current;
    found.current = [];
    for (const notify of choices) notify();
  }, [area, hydrated]);
}

/** Remembers a field's value and returns a function that replays it. Hydration may have reset the field by then. */
function choiceOf(field: Field): () => void {
  if (isCheckbox(field)) {
    const { checked } = field;
    return () => {
      field.checked = !checked;
      field.click();
    };
  }
  const { value } = field;
  return () => {
    if (field.value !== value) field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
}

const isCheckbox = (field: Field): field is HTMLInputElement => field.type === "checkbox";

function changedFields(area: HTMLElement): Field[] {
  return [...area.querySelectorAll<Field>("input, select, textarea")].filter(isChanged);
}

function isChanged(field: Field): boolean {
  if (field instanceof HTMLSelectElement) return field.selectedOptions[0] !== drawnOption(field);
  if (isCheckbox(field)) return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

function drawnOption({ options }: HTMLSelectElement): HTMLOptionElement | undefined {
  const all = [...options];
  return all.find((option) => option.defaultSelected) ?? all.find((option) => !option.disabled);
}
