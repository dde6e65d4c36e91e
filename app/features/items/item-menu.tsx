import { useFetcher, useNavigate } from "@remix-run/react";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { useCandidates } from "~/features/dependencies/use-candidates";
import { MenuHeading, menuEvents } from "~/ui/menu";
import type { DependencyKind } from "~/wire/dependencies/contract";
import { codeOf, focusRow, titleOf } from "./active-row";
import type { ItemAction } from "./item-actions";
import { choicesFor, type MenuChoice, type ProductChoices, waitChoices, whoChoices } from "./menu-choices";
import { useMenuAt } from "./use-menu-at";

export interface OpenMenu {
  action: ItemAction["name"];
  items: readonly string[];
  row: HTMLElement | null;
  /** Goes back to the previous menu (Backspace). */
  back?: (() => void) | undefined;
  /** Distinguishes this opening from the previous one. */
  opening: number;
}

interface ItemMenuProps {
  menu: OpenMenu;
  productId: string;
  onChange: (items: readonly string[], fields: Record<string, string>) => void;
  onClose: () => void;
}

/** The menu at a row: type to filter, arrows move, Enter selects, Esc returns focus to the row. */
export default function ItemMenu({ menu, productId, onChange, onClose }: ItemMenuProps) {
  const { action, items, row } = menu;
  const [first = ""] = items;
  const [position] = useState(() => positionBelow(row));
  const close = useCallback(() => {
    onClose();
    focusRow(first);
  }, [onClose, first]);
  const ref = useMenuAt(position, close);
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const { data, load } = useFetcher<ProductChoices>({ key: `choices ${productId}` });
  const candidates = useCandidates(action === "waits" ? whatWaits(first) : null, typed);
  const needsChoices = action === "assignee" || action === "move" || action === "label";
  useEffect(() => {
    if (needsChoices) load(`/products/${productId}/choices`);
  }, [needsChoices, load, productId]);

  const choose = ({ fields, to }: Omit<MenuChoice, "label">) => {
    if (to) navigate(`/products/${productId}/${to}`);
    else onChange(items, fields);
    close();
  };
  const heading = headings[action] ?? "";
  const about = items.length === 1 ? codeOf(row) : `${items.length} selected`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles
    <div
      ref={ref}
      popover="auto"
      role="group"
      aria-label={`${heading} ${about}`}
      className="popover"
      onKeyDown={(event) => {
        const { target, key } = event;
        const isEmpty = target instanceof HTMLInputElement && target.value === "";
        if (key !== "Backspace" || !isEmpty || !menu.back) return menuEvents.onKeyDown(event);
        event.preventDefault();
        close();
        menu.back();
      }}
    >
      <MenuHeading>
        {heading} <span className="font-mono">{about}</span>
      </MenuHeading>
      {action === "title" ? (
        <TitleField title={titleOf(row)} onSave={(title) => choose({ fields: { title } })} />
      ) : (
        <Choices
          choices={
            action === "waits"
              ? waitChoices(candidates)
              : action === "who"
                ? whoChoices(typed)
                : choicesFor(action, items, data)
          }
          typed={typed}
          onType={setTyped}
          onChoose={choose}
        />
      )}
    </div>
  );
}

function positionBelow(row: HTMLElement | null) {
  if (!row?.isConnected) return null;
  const { left, bottom } = row.getBoundingClientRect();
  return { x: left + 24, y: bottom + 2, width: 272, height: 312 };
}

const headings: Partial<Record<ItemAction["name"], string>> = {
  status: "Status of",
  priority: "Priority of",
  assignee: "Assignee of",
  label: "Labels of",
  who: "Agent, model and effort of",
  title: "Title of",
  move: "Move",
  waits: "Blockers of",
};

function whatWaits(item: string): { kind: DependencyKind; id: string } {
  const [kind, id = ""] = item.split(":");
  return { kind: kind === "story" ? "story" : "task", id };
}

interface ChoicesProps {
  choices: readonly MenuChoice[] | null;
  typed: string;
  onType: (text: string) => void;
  onChoose: (choice: MenuChoice) => void;
}

function Choices({ choices, typed, onType, onChoose }: ChoicesProps) {
  const wanted = typed.trim().toLowerCase();
  const shown = (choices ?? []).filter(({ label }) => label.toLowerCase().includes(wanted));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [only] = shown;
    if (only) onChoose(only);
  };
  return (
    <form onSubmit={submit}>
      <input
        data-focus-first
        value={typed}
        onChange={(event) => onType(event.target.value)}
        aria-label="Filter options"
        placeholder="Type to filter"
        className="mb-1 h-8 w-full rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10"
      />
      {shown.slice(0, 50).map((choice) => (
        <button key={choice.label} type="button" data-menu-item className="menu-item" onClick={() => onChoose(choice)}>
          {choice.label}
        </button>
      ))}
      {choices === null ? <p className="px-2.5 py-1.5 text-sm text-muted">Loading…</p> : null}
      {choices && shown.length === 0 ? <p className="px-2.5 py-1.5 text-sm text-muted">No options</p> : null}
    </form>
  );
}

function TitleField({ title, onSave }: { title: string; onSave: (title: string) => void }) {
  const [text, setText] = useState(title);
  return (
    <form
      className="grid gap-2 p-1"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") onSave(text);
      }}
    >
      <input
        data-focus-first
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-label="Title"
        maxLength={300}
        className="h-9 w-88 max-w-full rounded border border-line-strong bg-surface px-2 text-sm max-sm:w-full"
      />
      <button type="submit" className="sr-only">
        Save
      </button>
    </form>
  );
}
