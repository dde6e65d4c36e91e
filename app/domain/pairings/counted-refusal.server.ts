import { z } from "zod";
import { ContractError } from "~/contract/errors";

/** A wrong secret is answered and not raised by the database, because raising would undo its count. */
const refusedSchema = z.object({
  refused: z.object({ code: z.literal(404), error: z.string() }),
});

/** The answer or the refusal that an operation of the phone returned. */
export function orRefused<T>(answer: z.ZodType<T>) {
  return z.union([refusedSchema, answer]);
}

/** Throws what was refused, passes on what was answered. */
export function unlessRefused<T extends object>(answer: z.infer<typeof refusedSchema> | T): T {
  if (!("refused" in answer)) return answer;
  const { code, error } = refusedSchema.parse(answer).refused;
  throw new ContractError(code, error);
}
