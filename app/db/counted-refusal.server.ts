import { z } from "zod";
import { ContractError } from "~/contract/errors";

/** The database returns a wrong guess as an answer, because raising an error would roll back the count of guesses. */
const refusedSchema = z.object({
  refused: z.object({
    code: z.union([z.literal(404), z.literal(422)]),
    error: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
});

/** Schema of an operation's answer or refusal. */
export function orRefused<T>(answer: z.ZodType<T>) {
  return z.union([refusedSchema, answer]);
}

/** Returns the answer, or throws the refusal as `ContractError`. */
export function unlessRefused<T extends object>(answer: z.infer<typeof refusedSchema> | T): T {
  if (!("refused" in answer)) return answer;
  const { code, error, issues } = refusedSchema.parse(answer).refused;
  throw new ContractError(code, error, issues && { issues });
}
