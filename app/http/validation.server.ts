import "~/wire/zod-words";
import type { z } from "zod";
import { ContractError, type Issue } from "~/wire/errors";

/** Returns the value as parsed by the schema, or throws 422 with every issue. */
export function validate<T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: "body" | "query" | "header Idempotency-Key",
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }): Issue => ({ path: path.map(String).join("."), message }));
  const first = issues[0];
  const hint = first ? ` ${first.path === "" ? what : first.path}: ${first.message}` : "";
  throw new ContractError(422, `The ${what} is not valid.${hint}`, { issues });
}

/** Returns the query parameters as an object of strings. With duplicates the first wins. */
export function queryOf(request: Request): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URL(request.url).searchParams) {
    if (!Object.hasOwn(values, name)) values[name] = value;
  }
  return values;
}

const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** No row has this id. */
const unusedId = "00000000-0000-0000-0000-000000000000";

/** Accepts lower-case UUIDs only. Anything else cannot be an id, so it never reaches the database. */
export function isCanonicalUuid(text: string): boolean {
  return canonicalUuid.test(text);
}

/** The id in an address or a form. A malformed one becomes an id that no row has, so the operation refuses it as unknown. */
export function canonicalId(text: string | undefined): string {
  return text !== undefined && isCanonicalUuid(text) ? text : unusedId;
}
