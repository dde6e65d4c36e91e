import { useFetcher, useParams } from "@remix-run/react";
import { type RefObject, useCallback, useEffect, useId, useState } from "react";
import { priorityOptions } from "~/features/items/lists/priority";
import type { ProductChoices } from "~/features/items/menu-choices";
import { statusLook } from "~/ui/status";
import { labelWord } from "~/wire/item-filter";
import { pbiStatuses, storyStatuses, taskStatuses } from "~/wire/status";

type CompletionProps = { input: RefObject<HTMLInputElement>; page: FilterPage };

function wordAt({ value, selectionStart }: HTMLInputElement) {
  const end = selectionStart ?? value.length;
  const start = value.lastIndexOf(" ", end - 1) + 1;
  return { start, end, word: value.slice(start, end), isAtEnd: !/\S/.test(value.charAt(end)) };
}

/** Arrows move, Enter or a click selects, Esc closes. Focus stays in the field, which becomes a combobox. */
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
    const update = () => {
      const { word, isAtEnd } = wordAt(field);
      setTyped(word !== "" && isAtEnd ? word : null);
      setAt(-1);
    };
    // Also completes what was typed before this part loaded.
    if (document.activeElement === field) update();
    field.addEventListener("input", update, { signal });
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

type FilterPage = "board" | "backlog";

interface Suggestion {
  word: string;
  label: string;
  /** Whether the word is complete, so that the next one can start. */
  isWhole: boolean;
}

const fields: Record<FilterPage, readonly string[]> = {
  board: ["status", "priority", "assignee", "label", "story", "worker", "is"],
  backlog: ["status", "priority", "assignee", "label", "sprint", "story"],
};

type Value = readonly [typed: string, label: string];

const none: Value = ["none", "None"];

const statuses: Record<FilterPage, readonly string[]> = {
  board: taskStatuses,
  backlog: [...new Set([...taskStatuses, ...storyStatuses, ...pbiStatuses])],
};

function valuesOf(field: string, page: FilterPage, known: ProductChoices | undefined): Value[] {
  if (field === "status") return statuses[page].map((one) => [one.replaceAll("_", "-"), statusLook(one).label]);
  if (field === "priority") return priorityOptions().map(({ value, label }) => [value, label]);
  if (field === "is") {
    return [
      ["waiting", "Waiting for an answer"],
      ["running", "Running"],
      ["planned", "Has a plan"],
      ["unplanned", "Has no plan"],
    ];
  }
  if (!known) return [];
  if (field === "assignee") {
    const members = known.members.map(({ username }): Value => [username.toLowerCase(), username]);
    return [["me", "Me"], ...members, ["none", "No one"]];
  }
  if (field === "label") return [...known.labels.map(({ name }): Value => [labelWord(name), name]), none];
  if (field === "sprint") return [...known.sprints.map(({ code, goal }): Value => [code, `${code} ${goal}`]), none];
  if (field === "story") return known.stories.map(({ code, title }): Value => [code, `${code} ${title}`]);
  return [];
}

const most = 12;

const guessed = ["label", "assignee", "status", "sprint"] as const;

function guess(word: string, page: FilterPage, known: ProductChoices | undefined): Suggestion[] {
  if (word.length < 2) return [];
  const begins = (text: string) => ` ${text.toLowerCase()}`.includes(` ${word}`);
  return guessed
    .filter((field) => fields[page].includes(field))
    .flatMap((field) =>
      valuesOf(field, page, known)
        .filter(([typed, label]) => begins(typed) || begins(label))
        .map(([typed, label]) => ({ word: `${field}:${typed}`, label: `${field}: ${label}`, isWhole: true })),
    )
    .slice(0, most);
}

/** Values of the field before the colon, or fields by prefix and values that the word may mean. */
function suggest(word: string, page: FilterPage, known: ProductChoices | undefined): readonly Suggestion[] {
  const [, minus = "", name = "", colon = "", rest = ""] = /^(-?)([a-z]*)(:?)(.*)$/i.exec(word) ?? [];
  const field = fields[page].find((one) => one === name.toLowerCase());
  if (colon === "") {
    const begun = fields[page]
      .filter((one) => one.startsWith(name.toLowerCase()) && rest === "")
      .map((one) => ({ word: `${minus}${one}:`, label: `${one}:`, isWhole: false }));
    return [...begun, ...guess(word.toLowerCase(), page, known)];
  }
  if (!field) return [];
  const earlier = rest.slice(0, rest.lastIndexOf(",") + 1);
  const [, sign = "", begun = ""] = /^(<=|>=|<|>|=)?(.*)$/.exec(rest.slice(earlier.length).toLowerCase()) ?? [];
  const taken = earlier.toLowerCase().split(",");
  const found = valuesOf(field, page, known).filter(
    ([typed, label]) =>
      !taken.includes(typed.toLowerCase()) &&
      (typed.toLowerCase().includes(begun) || label.toLowerCase().includes(begun)),
  );
  // A complete value needs no suggestions.
  if (found.some(([typed]) => typed.toLowerCase() === begun)) return [];
  return found
    .slice(0, most)
    .map(([typed, label]) => ({
      word: `${minus}${field}:${earlier}${field === "priority" ? sign : ""}${typed}`,
      label,
      isWhole: true,
    }));
}
