import "~/wire/zod-words";
import { parseWithZod } from "@conform-to/zod/v4";
import { json, redirect } from "@remix-run/node";
import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { againField, enhancedField } from "~/ui/form-fields";
import type { WayBack } from "~/ui/toast";
import { ContractError } from "~/wire/errors";
import { idempotencyField } from "~/wire/idempotency-field";

/** Messages for the two most common form errors. All others keep the schema's message. */
const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return "Fill this in.";
  if (issue.code === "invalid_value") return "Choose one of the options.";
  return undefined;
};

/** What clearing a field means: empty text or null. Empty fields not listed here count as not sent. */
type EmptyMeaning = Record<string, "" | null>;

/** Validates with the schema of REST and MCP. On errors, their messages come back with everything the person typed. */
export async function runForm<Schema extends z.ZodType>(
  form: FormData,
  schema: Schema,
  perform: (value: z.output<Schema>) => Promise<Response>,
  emptied: EmptyMeaning = {},
): Promise<Response> {
  const fields = ownFields(form);
  const submission = parseWithZod(fields, { schema, error: fieldMessage });
  // The answer echoes what was typed, but a password must never be echoed into a page.
  const hideFields = [...fields.keys()].filter((name) => /password|secret/.test(name));
  if (submission.status !== "success") return json(submission.reply({ hideFields }), 422);
  const complete = withEmptied(fields, schema, submission.value, emptied);
  try {
    return await perform(complete);
  } catch (error) {
    // `pageAction` answers a rate limit as `{ error, code: 429 }` with `Retry-After`.
    if (!(error instanceof ContractError) || error.status === 429) throw error;
    const fieldErrors: Record<string, string[]> = {};
    for (const issue of error.issues ?? []) {
      fieldErrors[issue.path] = [...(fieldErrors[issue.path] ?? []), issue.message];
    }
    const formErrors = [idempotencyField in fieldErrors ? alreadySent : error.message];
    const reply = submission.reply({ formErrors, fieldErrors, hideFields });
    // If the person edited an older version, the page shows them the newer one (`clashOf`).
    return json(error.status === 412 ? { ...reply, clash: error.detail } : reply, error.status);
  }
}

/** Returns the fields of a small form as an operation's input, or throws 422 with all errors in one message. */
export function readForm<Schema extends z.ZodType>(
  form: FormData,
  schema: Schema,
  emptied: EmptyMeaning = {},
): z.output<Schema> {
  const fields = ownFields(form);
  const submission = parseWithZod(fields, { schema, error: fieldMessage });
  if (submission.status === "success") return withEmptied(fields, schema, submission.value, emptied);
  const messages = Object.values(submission.error ?? {}).flatMap((found) => found ?? []);
  throw new ContractError(422, messages.join(" ") || "The form is not complete. Reload the page and fill it in again.");
}

/** Runs the handler of the form that was sent, chosen by its `intent` field. */
export function runIntent(form: FormData, intents: Record<string, () => Promise<Response>>): Promise<Response> {
  const intent = textOf(form, "intent");
  // Inherited properties such as `toString` are not intents.
  const run = Object.hasOwn(intents, intent) ? intents[intent] : undefined;
  if (!run) throw new ContractError(422, "Nothing was chosen. Press one of the buttons of the page.");
  return run();
}

/** Runs one operation with the fields of a small form. */
export async function runOperation<Input extends z.ZodObject>(
  actor: Actor,
  form: FormData,
  operation: { (actor: Actor, input: z.output<Input>): Promise<unknown>; input: Input },
  backTo: string,
  message?: string,
): Promise<Response> {
  await operation(actor, readForm(form, operation.input));
  return done(form, backTo, message);
}

/** A message for script, or a redirect. `undo`: the service can take it back; `back`: the form that undoes it. */
export function done(
  form: FormData,
  backTo: string,
  message?: string,
  undo: { undo?: true; back?: WayBack; leadsTo?: string } = {},
): Response {
  if (form.has(enhancedField)) return json({ ok: true, message, ...undo });
  return redirect(backTo, 303);
}

/** Like `done`, for a change that can be undone. */
export const doneForNow = (form: FormData, backTo: string, message: string): Response =>
  done(form, backTo, message, { undo: true });

/** Returns one text field, trimmed, or an empty string if it is absent. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

const alreadySent =
  "This form was already sent with different content. Check what it created, or press again to create another.";

const ownNames = new Set(["intent", enhancedField, idempotencyField, againField]);

/** Returns the form without our control fields (`intent`, idempotency key …). */
function ownFields(form: FormData): FormData {
  const fields = new FormData();
  for (const [name, value] of form) {
    if (!ownNames.has(name)) fields.append(name, value);
  }
  return fields;
}

function withEmptied<Schema extends z.ZodType>(
  fields: FormData,
  schema: Schema,
  value: z.output<Schema>,
  emptied: EmptyMeaning,
): z.output<Schema> {
  const cleared = Object.entries(emptied).filter(([name]) => fields.get(name) === "");
  if (cleared.length === 0 || typeof value !== "object" || value === null) return value;
  return schema.parse({ ...value, ...Object.fromEntries(cleared) });
}

const clashSchema = z.looseObject({
  current: z.looseObject({ version: z.int() }),
  changed_fields: z.array(z.string()),
  changed_by: z.string().nullable(),
});

/** Keeps both changes if someone else changed only other fields; throws 412 if they changed one of the sent ones. */
export async function mergeEdit<Input extends object, Answer>(
  edit: (input: Input) => Promise<Answer>,
  input: Input,
): Promise<Answer> {
  try {
    return await edit(input);
  } catch (error) {
    if (!(error instanceof ContractError) || error.status !== 412) throw error;
    const { current, changed_fields, changed_by } = clashSchema.parse(error.detail);
    const clashing = changed_fields.filter((field) => field in input);
    if (clashing.length > 0) {
      const names = clashing.map((field) => field.replaceAll("_", " ")).join(", ");
      const text = `${changed_by ?? "Someone else"} has changed this: ${names}. Save again to keep yours, or reload the page to see theirs.`;
      throw new ContractError(412, text, error.detail ? { detail: error.detail } : {});
    }
    return mergeEdit(edit, { ...input, expected_version: current.version });
  }
}
