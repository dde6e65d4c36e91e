import { Link, useLocation } from "@remix-run/react";
import clsx from "clsx";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { AttachButton, useAttach } from "~/features/files/attach";
import { EnhancedField } from "~/ui/action-form";
import { Kbd } from "~/ui/badge";
import { buttonClass, SubmitButton } from "~/ui/button";
import { FieldErrors, HiddenFields } from "~/ui/field";
import { type Clash, editParameter, type InPlace, type InPlaceText } from "./use-in-place";

const controlClass =
  "w-full rounded border border-line-strong bg-raised px-2.5 text-ink aria-[invalid=true]:border-danger";

interface EditorProps {
  text: InPlaceText;
  editing: InPlace;
  /** A single line instead of a text area. */
  line?: boolean;
  mono?: boolean | undefined;
  placeholder?: string | undefined;
  inputMode?: "numeric" | "url" | undefined;
}

/** The form that replaces the text. Esc leaves it. Enter (single line) or Ctrl+Enter saves. */
export function Editor({ text, editing, ...control }: EditorProps) {
  const id = useId();
  const input = useFocusAtEnd();
  const typed = () => input.current?.value ?? "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      editing.leave(typed());
    }
    const saves = event.metaKey || event.ctrlKey || (control.line && editing.theirs);
    if (event.key !== "Enter" || !saves) return;
    event.preventDefault();
    const form = input.current?.form;
    // Only the button replaces someone else's text: the keys lead to it.
    if (editing.theirs) form?.querySelector<HTMLElement>("[type=submit]")?.focus();
    else form?.requestSubmit();
  };
  return (
    <editing.fetcher.Form
      method="post"
      // Without script, a refusal is shown there, in the same editor.
      action={text.action && `${text.action}?${editParameter}=${text.name}`}
      className="grid gap-2 font-normal tracking-normal"
      onSubmit={(event) => {
        if (typed() === text.value && !editing.theirs) {
          event.preventDefault();
          editing.leave(typed());
        } else editing.send();
      }}
    >
      <EnhancedField />
      <HiddenFields fields={text.fields} />
      {editing.seen === undefined ? null : <HiddenFields fields={{ expected_version: `${editing.seen}` }} />}
      {editing.theirs ? <Theirs clash={editing.theirs} /> : null}
      <Control {...control} id={id} input={input} text={text} editing={editing} onKeyDown={onKeyDown} />
      <FieldErrors id={`${id}-error`} errors={editing.refusal} />
      <Ways
        line={control.line}
        isClash={editing.theirs !== undefined}
        onLeave={() => (editing.theirs ? editing.discard() : editing.leave(typed()))}
      />
    </editing.fetcher.Form>
  );
}

/** The text someone else saved, above the user's own. */
function Theirs({ clash }: { clash: Clash }) {
  return (
    <div role="status" className="grid gap-1 text-xs text-waiting">
      <p>{clash.by ?? "Someone else"} changed this while you were editing. Your text is below theirs.</p>
      <blockquote className="max-h-60 overflow-auto whitespace-pre-wrap rounded border border-line bg-sunken px-2.5 py-2 text-sm text-ink">
        {clash.text || "Empty"}
      </blockquote>
    </div>
  );
}

/** The input: a single line, or an area that grows with its text. */
function Control({
  id,
  input,
  text,
  editing,
  line,
  mono,
  placeholder,
  inputMode,
  onKeyDown,
}: EditorProps & {
  id: string;
  input: RefObject<HTMLInputElement & HTMLTextAreaElement>;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const isRefused = editing.refusal.length > 0;
  const upload = useAttach(input, text.files);
  const field = {
    ref: input,
    id,
    name: text.name,
    defaultValue: editing.text,
    placeholder,
    "aria-label": text.label,
    "aria-invalid": isRefused || undefined,
    "aria-describedby": isRefused ? `${id}-error` : undefined,
    onInput: () => editing.note(input.current?.value ?? ""),
    onKeyDown,
  };
  if (line) {
    return (
      <input
        type="text"
        inputMode={inputMode}
        className={clsx(controlClass, "h-9 text-sm pointer-coarse:h-11", mono && "font-mono")}
        {...field}
      />
    );
  }
  return (
    <>
      <textarea
        rows={4}
        className={clsx(
          controlClass,
          "field-sizing-content max-h-[70dvh] min-h-24 py-2 leading-normal",
          mono && "font-mono text-sm",
        )}
        {...field}
        {...upload.targets}
      />
      {text.files ? <AttachButton upload={upload} /> : null}
    </>
  );
}

function useFocusAtEnd() {
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = input.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  return input;
}

function Ways({ line, isClash, onLeave }: { line: boolean | undefined; isClash: boolean; onLeave: () => void }) {
  const hydrated = useHydrated();
  const { pathname, search } = useLocation();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SubmitButton size="sm" pending={false}>
        {isClash ? "Replace theirs" : "Save"}
      </SubmitButton>
      <Link
        to={withoutEdit(pathname, search)}
        role="button"
        preventScrollReset
        className={buttonClass("quiet", "sm")}
        onClick={(event) => {
          event.preventDefault();
          onLeave();
        }}
      >
        {isClash ? "Take theirs" : "Leave"}
      </Link>
      {hydrated ? (
        <span className="hidden text-xs font-normal text-muted keyboard:inline">
          <Kbd>{line ? "Enter" : "Ctrl Enter"}</Kbd> to {isClash ? "choose" : "save"}, <Kbd>Esc</Kbd> to cancel
          {line ? "" : "; Markdown"}
        </span>
      ) : null}
    </div>
  );
}

function withoutEdit(pathname: string, search: string): string {
  const params = new URLSearchParams(search);
  params.delete(editParameter);
  const rest = params.toString();
  return rest ? `${pathname}?${rest}` : pathname;
}
