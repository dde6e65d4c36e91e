import { parseWithZod } from "@conform-to/zod/v4";
import { json, redirect } from "@remix-run/node";
import type { z } from "zod";
import { ContractError } from "~/contract/errors";
import { idempotencyField } from "~/contract/idempotency-field";
import { againField } from "~/ui/again-field";
import { enhancedField } from "~/ui/enhanced-field";

/** Words for the two things that go wrong most in a form; for the rest the schema's own words stand. */
const fieldMessage: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return "Fill this in.";
  if (issue.code === "invalid_value") return "Choose one of the options.";
  return undefined;
};

/** What an emptied field means: an empty text, or nothing at all. Fields not named here count as not sent. */
type EmptyMeaning = Record<string, "" | null>;

/**
 * Runs one operation with the fields of a form, checked with the same schema as REST and MCP. What is wrong
 * comes back beside the fields with everything that was typed; `perform` answers when all is well.
 */
export async function runForm<Schema extends z.ZodType>(
  form: FormData,
  schema: Schema,
  perform: (value: z.output<Schema>) => Promise<Response>,
  emptied: EmptyMeaning = {},
): Promise<Response> {
  const fields = ownFields(form);
  const submission = parseWithZod(fields, { schema, error: fieldMessage });
  // What was typed comes back with the answer; a password must not stand in a page.
  const hideFields = [...fields.keys()].filter((name) => /password|secret/.test(name));
  if (submission.status !== "success") return json(submission.reply({ hideFields }), 422);
  const complete = withEmptied(fields, schema, submission.value, emptied);
  try {
    return await perform(complete);
  } catch (error) {
    // A limit is answered by the action as `{ error, code: 429 }` with its `Retry-After`.
    if (!(error instanceof ContractError) || error.status === 429) throw error;
    const fieldErrors: Record<string, string[]> = {};
    for (const issue of error.issues ?? []) {
      fieldErrors[issue.path] = [...(fieldErrors[issue.path] ?? []), issue.message];
    }
    const formErrors = [idempotencyField in fieldErrors ? alreadySent : error.message];
    const reply = submission.reply({ formErrors, fieldErrors, hideFields });
    // Whoever edited an older version is shown the newer one (`clashOf`).
    return json(error.status === 412 ? { ...reply, clash: error.detail } : reply, error.status);
  }
}

/** The fields of a small form as an operation's input; what is wrong with them is one sentence (422). */
export function readForm<Schema extends z.ZodType>(
  form: FormData,
  schema: Schema,
  emptied: EmptyMeaning = {},
): z.output<Schema> {
  const fields = ownFields(form);
  const submission = parseWithZod(fields, { schema, error: fieldMessage });
  if (submission.status === "success") {
    return withEmptied(fields, schema, submission.value, emptied);
  }
  const messages = Object.values(submission.error ?? {}).flatMap((found) => found ?? []);
  throw new ContractError(
    422,
    messages.join(" ") || "The form is not complete. Reload the page and fill it in again.",
  );
}

/** Which of a page's small forms was sent: its `intent` names it. */
export function runIntent(
  form: FormData,
  intents: Record<string, () => Promise<Response>>,
): Promise<Response> {
  const intent = textOf(form, "intent");
  // What every object has by birth is no button.
  const run = Object.hasOwn(intents, intent) ? intents[intent] : undefined;
  if (!run)
    throw new ContractError(422, "Nothing was chosen. Press one of the buttons of the page.");
  return run();
}

/** The answer of a small form that did its work: a message for script, a way back without it. */
export function done(form: FormData, backTo: string, message?: string): Response {
  if (form.has(enhancedField)) return json({ ok: true, message });
  return redirect(backTo, 303);
}

/** The same for a change that can be taken back: its message offers that. */
export function doneForNow(form: FormData, backTo: string, message: string): Response {
  if (form.has(enhancedField)) return json({ ok: true, message, undo: true });
  return redirect(backTo, 303);
}

/** One text field of a form, trimmed; absent and empty are the same. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

const alreadySent =
  "This form was already sent with different content. Check what it created, or press again to create another.";

const ownNames = new Set(["intent", enhancedField, idempotencyField, againField]);

/** A form without the fields that only say which form it is and how it was sent. */
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
