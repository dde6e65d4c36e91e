import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { Form, type FormProps, type useFetcher } from "@remix-run/react";
import { type ReactNode, useEffect, useId } from "react";
import { EnhancedField } from "~/ui/action-form";
import { FormErrors } from "~/ui/field";
import { IdempotencyKey, settledBy } from "~/ui/rare/idempotency-key";
import { submitByKey } from "~/ui/rare/submit-by-key";
import { showToast } from "~/ui/toast";
import { FormDraft } from "./form-draft";

/** What a field component needs to know: its name, id, first value and what is wrong with it. */
export interface FieldWiring {
  name: string;
  id: string;
  errors: string[] | undefined;
  defaultValue: string | undefined;
}

export interface ServerFormHandle<Name extends string> {
  /** For `<ServerForm {...form.props}>`. */
  props: ReturnType<typeof getFormProps>;
  errors: string[] | undefined;
  errorId: string;
  /** What the service said last. */
  answer: unknown;
  /** For `<TextField label="Name" {...form.field("name")} />`. */
  field: (name: Name) => FieldWiring;
}

/**
 * A form whose rules live on the server: the schema that REST and MCP use checks it there, and what is
 * wrong comes back beside its field, the first one focused, with everything that was typed. Works without script.
 */
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
  return {
    props: getFormProps(form),
    errors: form.errors ?? refusalIn(options.lastResult),
    errorId: form.errorId,
    answer: options.lastResult,
    field(name) {
      const meta = fields[name];
      const id = meta?.id ?? `${form.id}-${name}`;
      return { name, id, errors: meta?.errors, defaultValue: meta?.initialValue };
    },
  };
}

/** The sentence of a refusal that is none of the form's, such as a rate limit: `{ error, code }`. */
function refusalIn(value: unknown): string[] | undefined {
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
  return typeof value.error === "string" ? [value.error] : undefined;
}

function isSubmissionResult(value: unknown): value is SubmissionResult<string[]> {
  return typeof value === "object" && value !== null && "initialValue" in value;
}

/** What an action that did its work has to say. */
function messageOf(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null) return null;
  if (!("ok" in answer && "message" in answer)) return null;
  return typeof answer.message === "string" ? answer.message : null;
}

/** Answers that were told already: a form that is emptied by a new key is mounted anew with the same answer. */
const told = new WeakSet<object>();

/** The form element, with what is wrong with it as a whole on top. */
export function ServerForm({
  form,
  fetcher,
  creates = false,
  children,
  className = "grid gap-4",
  draft,
  ...rest
}: Omit<FormProps, "children" | "form"> & {
  form: ServerFormHandle<never> | ServerFormHandle<string>;
  /** Sends the form in the background; without script it is an ordinary post. */
  fetcher?: ReturnType<typeof useFetcher>;
  /** It makes something, and that once however often it is sent. */
  creates?: boolean;
  /** The name under which what is typed is kept until it is sent. */
  draft?: string;
  children: ReactNode;
}) {
  const Element = fetcher ? fetcher.Form : Form;
  const answer = fetcher?.state === "idle" ? fetcher.data : undefined;
  useEffect(() => {
    const message = messageOf(answer);
    if (!message || typeof answer !== "object" || answer === null || told.has(answer)) return;
    told.add(answer);
    showToast(message);
  }, [answer]);
  return (
    <Element method="post" className={className} onKeyDown={submitByKey} {...rest} {...form.props}>
      {draft ? <FormDraft name={draft} answer={form.answer} /> : null}
      <FormErrors errors={form.errors} id={form.errorId} />
      {fetcher ? <EnhancedField /> : null}
      {creates ? <IdempotencyKey made={settledBy(fetcher?.data)} /> : null}
      {children}
    </Element>
  );
}
