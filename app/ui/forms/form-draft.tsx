import { type RefObject, useEffect, useRef, useState } from "react";
import { type DraftFields, keepDraft, readDraft } from "./drafts";

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Fields that a person fills in. Hidden fields say what the form is about. */
const typedFields =
  "textarea[name], select[name], input[name]:not([type=hidden], [type=password], [type=file])";

/**
 * Keeps what is typed into a form until it is sent, and offers to restore it when the form is opened again. Render it
 * in the form. `answer` is the action's answer: after a refusal the draft is kept.
 */
export function FormDraft({ name, answer }: { name: string; answer: unknown }) {
  const mark = useRef<HTMLParagraphElement>(null);
  const [found, setFound] = useState<DraftFields>();
  const isSent = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when an answer arrives, no matter what is in it
  useEffect(() => {
    isSent.current = false;
  }, [answer]);
  useEffect(() => {
    const form = mark.current?.closest("form");
    if (!form) return;
    const draft = readDraft(name);
    if (draft && differs(form, draft)) setFound(draft);
    const onInput = () => {
      setFound(undefined);
      keepDraft(name, typedIn(form));
    };
    const onSubmit = () => {
      isSent.current = true;
    };
    form.addEventListener("input", onInput);
    form.addEventListener("submit", onSubmit);
    return () => {
      form.removeEventListener("input", onInput);
      form.removeEventListener("submit", onSubmit);
      // Unmounted after a submit, so it succeeded: a refused form stays mounted.
      if (isSent.current) keepDraft(name, undefined);
    };
  }, [name]);
  return (
    <p ref={mark} role="status" className={found ? "flex gap-2 text-sm text-waiting" : "sr-only"}>
      {found ? (
        <>
          You have an unsaved draft.
          <button
            type="button"
            className="underline"
            onClick={() => restore(mark, found, setFound)}
          >
            Restore
          </button>
          <button
            type="button"
            className="underline"
            onClick={() => {
              keepDraft(name, undefined);
              setFound(undefined);
            }}
          >
            Discard
          </button>
        </>
      ) : null}
    </p>
  );
}

function restore(
  mark: RefObject<HTMLElement>,
  draft: DraftFields,
  done: (found: undefined) => void,
) {
  const form = mark.current?.closest("form");
  for (const field of form ? fieldsOf(form) : []) {
    const value = draft[field.name];
    if (value === undefined) continue;
    field.value = value;
  }
  done(undefined);
  form?.querySelector<HTMLElement>(typedFields)?.focus();
}

const fieldsOf = (form: HTMLFormElement) =>
  [...form.querySelectorAll<Field>(typedFields)].filter(
    ({ type }) => type !== "checkbox" && type !== "radio",
  );

const typedIn = (form: HTMLFormElement): DraftFields =>
  Object.fromEntries(fieldsOf(form).map(({ name, value }) => [name, value]));

/** Whether the draft has texts that the form lacks. Selects do not count: they are quick to choose again. */
function differs(form: HTMLFormElement, draft: DraftFields): boolean {
  return fieldsOf(form).some(
    (field) =>
      !(field instanceof HTMLSelectElement) &&
      (draft[field.name] ?? "").trim() !== "" &&
      draft[field.name] !== field.value,
  );
}
