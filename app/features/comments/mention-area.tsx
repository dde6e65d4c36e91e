import { useFetcher } from "@remix-run/react";
import { type KeyboardEvent, type RefObject, useId, useRef, useState } from "react";
import { AttachButton, useAttach } from "~/features/files/attach";
import { FieldErrors } from "~/ui/field";
import { commentLength } from "~/wire/comments/contract";

interface MentionAreaProps {
  label: string;
  productId: string;
  defaultValue?: string | undefined;
  errors?: readonly string[] | undefined;
  onEscape?: () => void;
}

/** A text area that suggests product members after `@`. Ctrl+Enter or ⌘+Enter submits its form. */
export function MentionArea({ label, productId, defaultValue, errors, onEscape }: MentionAreaProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const mention = useMention(area, productId);
  const upload = useAttach(area, { product_id: productId });
  const { names, active } = mention;
  const isOpen = names.length > 0;
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (mention.press(event)) return;
    if (event.key === "Escape" && onEscape) {
      event.stopPropagation();
      onEscape();
    }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.currentTarget.form?.requestSubmit();
    }
  };
  return (
    <div className="relative grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <textarea
        ref={area}
        id={id}
        name="body"
        rows={2}
        required
        maxLength={commentLength}
        defaultValue={defaultValue}
        aria-autocomplete="list"
        aria-controls={isOpen ? `${id}-names` : undefined}
        aria-activedescendant={isOpen ? `${id}-${active}` : undefined}
        aria-invalid={errors?.length ? true : undefined}
        aria-describedby={errors?.length ? `${id}-error` : undefined}
        className="field-sizing-content max-h-96 min-h-16 w-full rounded border border-line-strong bg-raised px-2.5 py-2 leading-normal text-ink aria-[invalid=true]:border-danger"
        onInput={mention.look}
        onClick={mention.look}
        onBlur={mention.close}
        onKeyDown={onKeyDown}
        {...upload.targets}
      />
      <AttachButton upload={upload} />
      <FieldErrors id={`${id}-error`} errors={errors} />
      <p aria-live="polite" className="sr-only">
        {isOpen ? `${names.length} members. Arrow keys choose, Enter inserts.` : ""}
      </p>
      {isOpen ? (
        <div
          role="listbox"
          id={`${id}-names`}
          aria-label="Members"
          className="absolute top-full left-0 z-20 mt-1 min-w-44 rounded-lg border border-line bg-raised p-1 shadow-pop"
        >
          {names.map((name, index) => (
            <div
              key={name}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className="menu-item aria-selected:bg-sunken"
              // Keeps focus in the text area.
              onPointerDown={(event) => {
                event.preventDefault();
                mention.insert(name);
              }}
            >
              @{name}
            </div>
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** A mention being typed: an `@` at the start of a word, up to the cursor. */
const begun = /(?:^|[^\w.@/-])@([\w.-]{0,40})$/;
const mostNames = 6;

/** Completes `@na` to a member's name. Names are loaded when the first `@` is typed. */
function useMention(area: RefObject<HTMLTextAreaElement>, productId: string) {
  const members = useFetcher<{ names: string[] }>({ key: `members ${productId}` });
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const names = typed === null ? [] : fitting(members.data?.names ?? [], typed);

  function update() {
    const found = begun.exec(beforeCursor(area.current));
    setTyped(found?.[1] ?? null);
    setActive(0);
    if (found && members.state === "idle" && members.data === undefined) {
      members.load(`/products/${productId}/member-names`);
    }
  }
  const close = () => setTyped(null);
  function insert(name: string) {
    const element = area.current;
    if (!element || typed === null) return;
    const end = element.selectionStart;
    element.setRangeText(`${name} `, end - typed.length, end, "end");
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }
  /** Returns true if the key was used by the list. */
  function press(event: KeyboardEvent): boolean {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const chosen = names[active];
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (chosen === undefined || !isPlain || event.nativeEvent.isComposing) return false;
    if (step !== 0) setActive((active + step + names.length) % names.length);
    else if (event.key === "Enter" || event.key === "Tab") insert(chosen);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
  return { names, active, look: update, close, insert, press };
}

function beforeCursor(element: HTMLTextAreaElement | null): string {
  return element === null ? "" : element.value.slice(0, element.selectionStart);
}

/** Names that start with the typed text come before names that contain it. */
function fitting(names: readonly string[], typed: string): string[] {
  const part = typed.toLowerCase();
  const indexIn = (name: string) => name.toLowerCase().indexOf(part);
  return names
    .filter((name) => indexIn(name) >= 0 && name.toLowerCase() !== part)
    .toSorted((one, other) => indexIn(one) - indexIn(other))
    .slice(0, mostNames);
}
