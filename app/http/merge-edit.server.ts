import { z } from "zod";
import { ContractError } from "~/contract/errors";

const clashSchema = z.looseObject({
  current: z.looseObject({ version: z.int() }),
  changed_fields: z.array(z.string()),
});

/**
 * Saves what a person edited. Fields that somebody else changed meanwhile, and that are not among those that are sent, are no
 * reason to ask: both changes stand. Otherwise throws the 412 of the operation.
 */
export async function mergeEdit<Input extends object, Answer>(
  edit: (input: Input) => Promise<Answer>,
  input: Input,
): Promise<Answer> {
  try {
    return await edit(input);
  } catch (error) {
    if (!(error instanceof ContractError) || error.status !== 412) throw error;
    const { current, changed_fields } = clashSchema.parse(error.detail);
    if (changed_fields.some((field) => field in input)) throw error;
    return mergeEdit(edit, { ...input, expected_version: current.version });
  }
}
