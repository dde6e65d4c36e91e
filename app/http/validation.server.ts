import "~/wire/zod-words";
import { z } from "zod";
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
export function queryOf(request: Request, { shape }: z.ZodObject): Record<string, unknown> {
  const { searchParams } = new URL(request.url);
  const given = (name: string) => (isList(shape[name]) ? searchParams.getAll(name) : searchParams.get(name));
  return Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, given(name)]));
}

function isList(field: z.core.$ZodType | undefined): boolean {
  return field instanceof z.ZodOptional ? isList(field.unwrap()) : field instanceof z.ZodArray;
}
