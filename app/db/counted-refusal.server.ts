import { z } from "zod";
import { ContractError } from "~/contract/errors";

/** A guess that was wrong is answered and not raised by the database, because raising would undo its count. */
const refusedSchema = z.object({
  refused: z.object({
    code: z.union([z.literal(404), z.literal(422)]),
    error: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

/** The answer or the refusal that an operation returned. */
export function orRefused<T>(answer: z.ZodType<T>) {
  return z.union([refusedSchema, answer]);
}

/** Throws what was refused, passes on what was answered. */
export function unlessRefused<T extends object>(answer: z.infer<typeof refusedSchema> | T): T {
  if (!("refused" in answer)) return answer;
  const { code, error, issues } = refusedSchema.parse(answer).refused;
  throw new ContractError(code, error, issues && { issues });
}
