import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { Form, type FormProps, type useFetcher } from "@remix-run/react";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";
import { EnhancedField, type FormFields } from "~/ui/action-form";
import { FormErrors, HiddenFields } from "~/ui/field";
import { againField } from "~/ui/form-fields";
import { showToast } from "~/ui/toast";
import { type DraftFields, keepDraft, readDraft } from "./drafts";
import { IdempotencyKey, settledBy } from "./idempotency-key";

type FieldWiring = { name: string; id: string; errors: string[] | undefined; defaultValue: string | undefined };

export interface ServerFormHandle<Name extends string> {
  /** For `<ServerForm {...form.props}>`. */
  props: ReturnType<typeof getFormProps> & { onInput: (event: { target: EventTarget }) => void };
  errors: string[] | undefined;
  errorId: string;
  answer: unknown;
  /** For `<TextField label="Name" {...form.field("name")} />`. */
  field: (name: Name) => FieldWiring;
}

/** Validated by the schema of REST and MCP. The first field with an error is focused, typed values are kept. */
export function useServerForm<Name extends string>(options: {
  /** `useActionResult()` or `fetcher.data` of an action that uses `runForm`. */
  lastResult: unknown;
  defaultValue?: { [Key in Name]?: string | null };
  id?: string;
}): ServerFormHandle<Name> {
  const ownId = useId();
  const [form, fields] = useForm<Record<string, string>>({
    id: options.id ?? ownId,
    lastResult: isSubmissionResult(options.lastResult) ? options.lastResult : null,
    defaultValue: options.defaultValue,
  });
  // A changed field keeps no error.
  const [changed, setChanged] = useState<Readonly<Record<string, unknown>>>({});
  const onInput = ({ target }: { target: EventTarget }) => {
    const name = "name" in target ? String(target.name) : "";
    if (fields[name]?.errors) setChanged((all) => ({ ...all, [name]: options.lastResult }));
  };
  return {
    props: { ...getFormProps(form), onInput },
    errors: form.errors ?? refusalIn(options.lastResult),
    errorId: form.errorId,
    answer: options.lastResult,
    field(name) {
      const meta = fields[name];
      const id = meta?.id ?? `${form.id}-${name}`;
      const errors = changed[name] === options.lastResult ? undefined : meta?.errors;
      return { name, id, errors, defaultValue: meta?.initialValue };
    },
  };
}

/** Returns the sentence of a refusal that is not about a field, for example a rate limit: `{ error, code }`. */
function refusalIn(value: unknown): string[] | undefined {
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
  return typeof value.error === "string" ? [value.error] : undefined;
}

function isSubmissionResult(value: unknown): value is SubmissionResult<string[]> {
  return typeof value === "object" && value !== null && "initialValue" in value;
}

function messageOf(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null) return null;
  if (!("ok" in answer && "message" in answer)) return null;
  return typeof answer.message === "string" ? answer.message : null;
}

/** Answers already shown. A form that is reset by a new key remounts with the same answer. */
const shown = new WeakSet<object>();

/** The form element, with errors of the whole form on top. */
export function ServerForm({
  form,
  fetcher,
  creates = false,
  fields = {},
  children,
  className = "grid gap-4",
  draft,
  ...rest
}: Omit<FormProps, "children" | "form"> & {
  form: ServerFormHandle<never> | ServerFormHandle<string>;
  /** Sends the form in the background. Without script it is a normal post. */
  fetcher?: ReturnType<typeof useFetcher>;
  /** The form creates something. Adds an idempotency key. */
  creates?: boolean;
  fields?: FormFields;
  /** Key under which the draft is kept until the form is sent. */
  draft?: string;
  children: ReactNode;
}) {
  const Element = fetcher ? fetcher.Form : Form;
  const answer = fetcher?.state === "idle" ? fetcher.data : undefined;
  useEffect(() => {
    const message = messageOf(answer);
    if (!message || typeof answer !== "object" || answer === null || shown.has(answer)) return;
    shown.add(answer);
    showToast(message);
  }, [answer]);
  return (
    <Element method="post" className={className} onKeyDown={submitByKey} {...rest} {...form.props}>
      {draft ? <FormDraft name={draft} answer={form.answer} /> : null}
      <FormErrors errors={form.errors} id={form.errorId} />
      {fetcher ? <EnhancedField /> : null}
      {creates ? <IdempotencyKey made={settledBy(fetcher?.data)} /> : null}
      <HiddenFields fields={fields} />
      {children}
    </Element>
  );
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Fields that a person fills in. Hidden fields say what the form is about. */
const typedFields = "textarea[name], select[name], input[name]:not([type=hidden], [type=password], [type=file])";

/** Offers to restore what was typed, or fills it in. Render it in the form. After a refusal by the action the draft is kept. */
export function FormDraft({ name, answer, fills = false }: { name: string; answer: unknown; fills?: boolean }) {
  const mark = useRef<HTMLParagraphElement>(null);
  const [found, setFound] = useState<DraftFields>();
  const isSent = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when an answer arrives, no matter what is in it
  useEffect(() => {
    if (isSent.current && typeof answer === "object" && answer !== null && "ok" in answer) keepDraft(name, undefined);
    isSent.current = false;
  }, [answer]);
  useEffect(() => {
    const form = mark.current?.closest("form");
    if (!form) return;
    const draft = readDraft(name);
    if (draft && differs(form, draft)) {
      if (fills) fill(form, draft, ({ value }) => value === "");
      else setFound(draft);
    }
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
  }, [name, fills]);
  return (
    <p ref={mark} role="status" className={found ? "flex gap-2 text-sm text-waiting" : "sr-only"}>
      {found ? (
        <>
          You have an unsaved draft.
          <button type="button" className="underline" onClick={() => restore(mark, found, setFound)}>
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

function restore(mark: RefObject<HTMLElement>, draft: DraftFields, done: (found: undefined) => void) {
  const form = mark.current?.closest("form");
  if (form) fill(form, draft);
  done(undefined);
  form?.querySelector<HTMLElement>(typedFields)?.focus();
}

function fill(form: HTMLFormElement, draft: DraftFields, isFree = (_field: Field) => true) {
  for (const field of fieldsOf(form).filter(isFree)) field.value = draft[field.name] ?? field.value;
}

const fieldsOf = (form: HTMLFormElement) =>
  [...form.querySelectorAll<Field>(typedFields)].filter(({ type }) => type !== "checkbox" && type !== "radio");

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

/** Submits from any field with the first submit button; with Shift, with the one that opens the form again. */
export function submitByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  event.preventDefault();
  const form = event.currentTarget;
  const press = "button[type=submit]:not(:disabled)";
  const again = event.shiftKey ? form.querySelector(`${press}[name=${againField}]`) : null;
  form.requestSubmit(again instanceof HTMLElement ? again : form.querySelector<HTMLElement>(press));
}
