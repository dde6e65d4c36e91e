import type { z } from "zod";
import { ContractError } from "~/wire/errors";

/** Parses JSON by a schema. The refusal names the place that differs. */
export function readJson<Schema extends z.ZodType>(text: string, schema: Schema, expected: string): z.output<Schema> {
  const read = schema.safeParse(parse(text, expected));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.length ? ` at ${issue.path.join(".")}` : "";
  throw new ContractError(422, `This is not ${expected}:${place} ${issue?.message ?? "it differs"}.`);
}

function parse(text: string, expected: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new ContractError(422, `This is not ${expected}: it is not valid JSON.`);
  }
}
