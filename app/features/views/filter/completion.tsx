import { useFetcher, useParams } from "@remix-run/react";
import { type RefObject, useCallback, useEffect, useId, useState } from "react";
import type { ProductChoices } from "~/features/items/menu-choices";
import { type FilterPage, type Suggestion, suggest } from "./suggestions";

interface CompletionProps {
  input: RefObject<HTMLInputElement>;
  page: FilterPage;
}

/** Returns the word at the cursor and its position. */
function wordAt({ value, selectionStart }: HTMLInputElement) {
  const end = selectionStart ?? value.length;
  const start = value.lastIndexOf(" ", end - 1) + 1;
  return { start, end, word: value.slice(start, end), isAtEnd: !/\S/.test(value.charAt(end)) };
}

/**
 * Suggests fields and values while the user types a filter: arrows move, Enter or a click selects, Esc closes. Focus
 * stays in the field, which becomes a combobox.
 */
export default function Completion({ input, page }: CompletionProps) {
  const { productId = "" } = useParams();
  const { data, load } = useFetcher<ProductChoices>({ key: `choices ${productId}` });
  const listId = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [at, setAt] = useState(-1);
  const found = typed === null ? [] : suggest(typed, page, data);
  // After a field, Enter takes the first value. A word alone is looked for as it is.
  const chosen = found[at] ?? (typed?.includes(":") && found[0]?.isWhole ? found[0] : undefined);
  const isOpen = found.length > 0;

  useEffect(() => {
    load(`/products/${productId}/choices`);
  }, [load, productId]);

  const take = useCallback(
    ({ word, isWhole }: Suggestion) => {
      const field = input.current;
      if (!field) return;
      const { start, end } = wordAt(field);
      field.setRangeText(`${word}${isWhole ? " " : ""}`, start, end, "end");
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.focus();
    },
    [input],
  );

  useEffect(() => {
    const field = input.current;
    if (!field) return;
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-autocomplete", "list");
    const listening = new AbortController();
    const { signal } = listening;
    const look = () => {
      const { word, isAtEnd } = wordAt(field);
      setTyped(word !== "" && isAtEnd ? word : null);
      setAt(-1);
    };
    // Also completes what was typed before this part loaded.
    if (document.activeElement === field) look();
    field.addEventListener("input", look, { signal });
    field.addEventListener("blur", () => setTyped(null), { signal });
    return () => listening.abort();
  }, [input]);

  useEffect(() => {
    const field = input.current;
    if (!field) return;
    field.setAttribute("aria-expanded", String(isOpen));
    field.setAttribute("aria-controls", listId);
    const active = chosen ? `${listId}-${found.indexOf(chosen)}` : "";
    if (active) field.setAttribute("aria-activedescendant", active);
    else field.removeAttribute("aria-activedescendant");
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const now = chosen ? found.indexOf(chosen) : -1;
        const step = event.key === "ArrowDown" ? 1 : -1;
        if (!isOpen) setTyped(wordAt(field).word);
        else setAt((Math.max(now, step === 1 ? -1 : 0) + step + found.length) % found.length);
      } else if (event.key === "Enter" && chosen) take(chosen);
      else if (event.key === "Escape" && isOpen) setTyped(null);
      else return;
      // Keeps the key from the form and the page.
      event.preventDefault();
      event.stopPropagation();
    };
    field.addEventListener("keydown", onKey);
    return () => field.removeEventListener("keydown", onKey);
  });

  return (
    <div
      id={listId}
      role="listbox"
      aria-label="Filter suggestions"
      hidden={!isOpen}
      className="absolute top-full left-0 z-30 mt-1 max-h-80 w-max max-w-[80vw] min-w-48 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-pop"
    >
      {found.map((one, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the field
        <div
          key={one.word}
          id={`${listId}-${index}`}
          role="option"
          aria-selected={one === chosen}
          className="menu-item cursor-pointer truncate aria-selected:bg-sunken"
          // Keeps focus in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => take(one)}
        >
          {one.label}
        </div>
      ))}
    </div>
  );
}
