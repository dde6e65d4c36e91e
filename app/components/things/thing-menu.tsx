import { useFetcher } from "@remix-run/react";
import {
  type FormEvent,
  type KeyboardEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { DependencyKind } from "~/contract/dependency";
import { MenuHeading } from "../menu";
import { useCandidates } from "../use-candidates";
import { focusRow } from "./at-hand";
import { choicesFor, type MenuChoice, type ProductChoices, waitChoices } from "./menu-choices";
import type { ThingAction } from "./thing-actions";

export interface OpenMenu {
  action: ThingAction["name"];
  things: readonly string[];
  row: HTMLElement | null;
  /** Tells it from the one that was open before. */
  opening: number;
}

interface ThingMenuProps {
  menu: OpenMenu;
  productId: string;
  onChange: (things: readonly string[], fields: Record<string, string>) => void;
  onClose: () => void;
}

/** The small menu at a row: type to narrow, arrows walk, Enter chooses, Esc gives the focus back to the row. */
export default function ThingMenu({ menu, productId, onChange, onClose }: ThingMenuProps) {
  const { action, things, row } = menu;
  const [first = ""] = things;
  const ref = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const { data, load } = useFetcher<ProductChoices>({ key: `choices ${productId}` });
  const candidates = useCandidates(action === "waits" ? whatWaits(first) : null, typed);
  const needsChoices = action === "assignee" || action === "move";
  useEffect(() => {
    if (needsChoices) load(`/products/${productId}/choices`);
  }, [needsChoices, load, productId]);

  const choose = (fields: Record<string, string>) => {
    onChange(things, fields);
    onClose();
    focusRow(first);
  };
  useLayoutEffect(() => {
    const list = ref.current;
    if (!list) return;
    // A popover sits in the top layer; where, follows the row.
    const box = row?.isConnected ? row.getBoundingClientRect() : null;
    if (box && window.innerWidth >= 640) {
      const left = Math.min(Math.max(box.left + 24, 8), window.innerWidth - 280);
      const top = Math.min(box.bottom + 2, window.innerHeight - 320);
      list.style.setProperty("position-area", "none");
      list.style.setProperty("inset", `${Math.max(top, 8)}px auto auto ${left}px`);
    }
    list.showPopover();
    list.querySelector<HTMLElement>("[data-focus-first]")?.focus();
    list.querySelector<HTMLInputElement>("input")?.select();
  }, [row]);
  useEffect(() => {
    const list = ref.current;
    const onToggle = (event: Event) => {
      if (!("newState" in event) || event.newState !== "closed") return;
      onClose();
      focusRow(first);
    };
    list?.addEventListener("toggle", onToggle);
    return () => list?.removeEventListener("toggle", onToggle);
  }, [onClose, first]);

  const heading = headings[action] ?? "";
  const about = things.length === 1 ? codeOf(row) : `${things.length} selected`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover with the platform's styles
    <div
      ref={ref}
      popover="auto"
      role="group"
      aria-label={`${heading} ${about}`}
      className="popover"
      onKeyDown={walk}
    >
      <MenuHeading>
        {heading} <span className="font-mono">{about}</span>
      </MenuHeading>
      {action === "title" ? (
        <TitleField title={titleOf(row)} onSave={(title) => choose({ title })} />
      ) : (
        <Choices
          choices={action === "waits" ? waitChoices(candidates) : choicesFor(action, things, data)}
          typed={typed}
          onType={setTyped}
          onChoose={choose}
        />
      )}
    </div>
  );

  function walk(event: KeyboardEvent<HTMLElement>) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const items = [
      ...event.currentTarget.querySelectorAll<HTMLElement>(
        "input, [data-menu-item]:not(:disabled)",
      ),
    ];
    const at = items.findIndex((item) => item.matches(":focus"));
    items[(at + step + items.length) % items.length]?.focus();
  }
}

const headings: Partial<Record<ThingAction["name"], string>> = {
  status: "Status of",
  priority: "Priority of",
  assignee: "Who has",
  title: "Title of",
  move: "Move",
  waits: "What must come before",
};

function whatWaits(thing: string): { kind: DependencyKind; id: string } {
  const [kind, id = ""] = thing.split(":");
  return { kind: kind === "story" ? "story" : "task", id };
}

function Choices({
  choices,
  typed,
  onType,
  onChoose,
}: {
  choices: readonly MenuChoice[] | null;
  typed: string;
  onType: (text: string) => void;
  onChoose: (fields: Record<string, string>) => void;
}) {
  const wanted = typed.trim().toLowerCase();
  const shown = (choices ?? []).filter(({ label }) => label.toLowerCase().includes(wanted));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [only] = shown;
    if (only) onChoose(only.fields);
  };
  return (
    <form onSubmit={submit}>
      <input
        data-focus-first
        value={typed}
        onChange={(event) => onType(event.target.value)}
        aria-label="Narrow the choices"
        placeholder="Type to narrow"
        className="mb-1 h-8 w-full rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10"
      />
      {shown.slice(0, 50).map(({ label, fields }) => (
        <button
          key={label}
          type="button"
          data-menu-item
          className="menu-item"
          onClick={() => onChoose(fields)}
        >
          {label}
        </button>
      ))}
      {choices === null ? <p className="px-2.5 py-1.5 text-sm text-muted">One moment…</p> : null}
      {choices && shown.length === 0 ? (
        <p className="px-2.5 py-1.5 text-sm text-muted">Nothing to choose.</p>
      ) : null}
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

const titleOf = (row: HTMLElement | null) =>
  row?.querySelector("[data-row] [data-title]")?.textContent ??
  row?.querySelector("[data-row]")?.lastChild?.textContent ??
  "";

const codeOf = (row: HTMLElement | null) => row?.querySelector("[data-code]")?.textContent ?? "it";
