import { parseWithZod } from "@conform-to/zod/v4";
import { json, redirect, type TypedResponse } from "@remix-run/node";
import type { z } from "zod";
import { enhancedField } from "~/components/enhanced-field";
import { ContractError } from "~/contract/errors";

/**
 * Runs one operation with the fields of a form, checked with the same schema as REST and MCP. What is wrong
 * comes back beside the fields with everything that was typed; `perform` answers when all is well.
 */
export async function runForm<Schema extends z.ZodType>(
  form: FormData,
  schema: Schema,
  perform: (value: z.output<Schema>) => Promise<Response>,
): Promise<Response> {
  const submission = parseWithZod(form, { schema });
  // What was typed comes back with the answer; a password must not stand in a page.
  const hideFields = [...form.keys()].filter((name) => /password|secret/.test(name));
  if (submission.status !== "success") return json(submission.reply({ hideFields }), 422);
  try {
    return await perform(submission.value);
  } catch (error) {
    // A limit is answered by the action as `{ error, code: 429 }` with its `Retry-After`.
    if (!(error instanceof ContractError) || error.status === 429) throw error;
    const fieldErrors: Record<string, string[]> = {};
    for (const issue of error.issues ?? []) {
      fieldErrors[issue.path] = [...(fieldErrors[issue.path] ?? []), issue.message];
    }
    const formErrors = [error.message];
    return json(submission.reply({ formErrors, fieldErrors, hideFields }), error.status);
  }
}

/** The answer of a small form that did its work: a message for script, a way back without it. */
export function done(form: FormData, backTo: string, message?: string): Response | TypedResponse {
  if (form.has(enhancedField)) return json({ ok: true, message });
  return redirect(backTo, 303);
}

/** One text field of a form, trimmed; absent and empty are the same. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}
