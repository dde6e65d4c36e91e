import { type RefObject, useEffect, useRef } from "react";
import { useHydrated } from "remix-utils/use-hydrated";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * What a person chose or typed in this area before its script came is told to the page once it is there, by the events
 * of a choice that is made now. What sends at once puts `autoComplete="off"` on its form: else a browser that fills in
 * what stood there at the last visit would be taken for a person.
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
    for (const tell of choices) tell();
  }, [area, hydrated]);
}

/** What stands in a field now, to be told later: what follows from what is known has been put back by then. */
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

function isCheckbox(field: Field): field is HTMLInputElement {
  return field.type === "checkbox";
}

function changedFields(area: HTMLElement): Field[] {
  return [...area.querySelectorAll<Field>("input, select, textarea")].filter(isChanged);
}

/** Whether it says something else than the server wrote. */
function isChanged(field: Field): boolean {
  if (field instanceof HTMLSelectElement) return field.selectedOptions[0] !== drawnOption(field);
  if (isCheckbox(field)) return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

function drawnOption({ options }: HTMLSelectElement): HTMLOptionElement | undefined {
  const all = [...options];
  return all.find((option) => option.defaultSelected) ?? all.find((option) => !option.disabled);
}
